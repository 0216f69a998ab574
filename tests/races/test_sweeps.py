"""Many sweeps at once share the lapsed holds, and wait for nobody."""

from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from inventory.models import EventSeat, Hold, HoldState, SeatMove, SeatState
from inventory.services import holds
from tests import factories
from tests.inventory.asking import lapse, place
from tests.races.rivals import race
from tests.races.test_holds import refusals, winners
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)
LAPSED = 60


@pytest.fixture
def event(transactional_db):
    return factories.opened_event(rows=6, seats_per_row=30)


@pytest.fixture
def lapsed(sale, seats):
    placed = [place(sale, seats[2 * n : 2 * n + 2]) for n in range(LAPSED)]
    for each in placed:
        lapse(each)
    return placed


def test_four_workers_end_each_hold_once(sale, seats, lapsed):
    sweeps = [partial(holds.expire_all, batch=5)] * 4
    rivals = [partial(place, sale, seats[2 * n : 2 * n + 1]) for n in range(0, LAPSED, 3)]

    outcomes = race(sweeps + rivals)

    assert refusals(outcomes) == set()
    ended = Hold.objects.filter(pk__in=[each.hold_id for each in lapsed], state=HoldState.EXPIRED)
    assert ended.count() == LAPSED
    # Those that a fan came for first were ended by him.
    assert sum(winners(outcomes)[: len(sweeps)]) <= LAPSED
    freed = SeatMove.objects.filter(was=SeatState.HELD, became=SeatState.AVAILABLE)
    assert freed.count() == 2 * LAPSED
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == len(rivals)
    assert list(audit.run()) == []


def test_a_sweep_passes_by_a_hold_that_somebody_works_on(lapsed):
    with transaction.atomic():
        Hold.objects.select_for_update().get(pk=lapsed[0].hold_id)

        [outcome] = race([partial(holds.expire_all, batch=LAPSED * 2)])

    assert outcome.value == LAPSED - 1


def test_a_sweep_that_waited_would_stand(lapsed, monkeypatch):
    """The control: without SKIP LOCKED it waits, until its patience is over."""
    query = Hold.objects.all().query.__class__
    chain = query.chain

    def wait(self, *args, **options):
        copy = chain(self, *args, **options)
        copy.select_for_update_skip_locked = False
        return copy

    monkeypatch.setattr(query, "chain", wait)
    with transaction.atomic():
        list(Hold.objects.select_for_update().filter(pk=lapsed[0].hold_id))
        [outcome] = race([partial(_impatiently, partial(holds.expire_all, batch=LAPSED * 2))])

    assert "lock timeout" in str(outcome.refusal)


def _impatiently(act):
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
    return act()


def test_a_sweep_of_many_takes_a_transaction_for_each_batch(lapsed):
    with CaptureQueriesContext(connection) as queries:
        assert holds.expire_all(batch=25) == LAPSED

    locks = [query["sql"] for query in queries if "SKIP LOCKED" in query["sql"]]
    assert len(locks) == 3
    assert all("LIMIT 25" in sql for sql in locks)


def test_the_command_says_how_far_it_is(lapsed, capsys):
    call_command("expire_holds", batch=25)

    assert capsys.readouterr().out.splitlines() == [
        *("25 so far …", "50 so far …", f"Lapsed holds ended: {LAPSED}.")
    ]
    with pytest.raises(CommandError, match="one hold or more"):
        call_command("expire_holds", batch=0)
