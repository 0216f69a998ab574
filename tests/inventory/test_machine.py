"""Any order of steps leaves every place with whom it should be.

Its controls each take one guard away, and see that the machine finds out.
"""

from contextlib import suppress

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from inventory.errors import HoldLost
from inventory.models import Hold
from inventory.services import counts, holds
from tests.inventory.machine import Machine

# Transactions are real: a crash rolls them back as the server does.
pytestmark = pytest.mark.django_db(transaction=True)
USUAL = settings(
    max_examples=30,
    stateful_step_count=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
RARE = ["without_token", "expiry_by_seat", "two_transactions"]
NO_CAP = "SELECT 0, 0 WHERE num_nulls(%s::bigint[], %s::bigint[], %s::int[]) > 0"
LONG = settings(USUAL, max_examples=120, stateful_step_count=50, derandomize=False)
# It is enough to see that it fails.
CONTROL = settings(USUAL, max_examples=200, phases=[Phase.generate])
FREE_WHATEVER_IS_HELD = """
UPDATE inventory_eventseat SET state = 'available', hold_id = NULL WHERE state = 'held'
AND id IN (SELECT seat_id FROM inventory_holdline WHERE hold_id = ANY(%s))
"""


def test_any_order_of_steps():
    run_state_machine_as_test(Machine, settings=USUAL)


@pytest.mark.long
def test_any_order_of_many_steps():
    run_state_machine_as_test(Machine, settings=LONG)


@pytest.fixture
def without_token(monkeypatch):
    """Whoever comes sells the hold as it is now."""
    confirm = holds.confirm

    def confirm_any(*, hold_id: int, fencing_token: int, at=None):
        confirm(hold_id=hold_id, fencing_token=Hold.objects.get(pk=hold_id).fencing_token, at=at)

    monkeypatch.setattr(holds, "confirm", confirm_any)


@pytest.fixture
def expiry_by_seat(monkeypatch):
    """An expiry frees the seats it once found held, whoever holds them now."""
    end = holds.end

    def end_by_seat(hold_ids, state, at):
        with connection.cursor() as cursor:
            cursor.execute(FREE_WHATEVER_IS_HELD, [list(hold_ids)])
        with suppress(HoldLost):
            end(hold_ids, state, at)

    monkeypatch.setattr(holds, "end", end_by_seat)


@pytest.fixture
def two_transactions(monkeypatch):
    """The places of a pool are counted when the hold is committed already."""
    take = counts.take

    def take_later(**values):
        def act():
            with transaction.atomic():
                take(**values)

        transaction.on_commit(act)

    monkeypatch.setattr(counts, "take", take_later)


@pytest.fixture
def without_caps(monkeypatch):
    """Places are counted in their pool, and at no fare."""
    monkeypatch.setattr(counts, "TAKE_AT_CAPS", NO_CAP)


@pytest.mark.parametrize(
    "fault",
    [
        "without_caps",
        # These need rarer orders of steps.
        *(pytest.param(name, marks=pytest.mark.long) for name in RARE),
    ],
)
def test_a_missing_guard_is_found(fault, request):
    request.getfixturevalue(fault)

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Machine, settings=CONTROL)
