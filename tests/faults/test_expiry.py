"""An expiry worker stands still in the middle of a batch, then dies: others go on all the time."""

import threading
import time

import pytest

from inventory.models import EventSeat, Hold, HoldState, SeatState
from inventory.services import holds
from tests.inventory.asking import lapse, place
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)

BATCH = 2
POINTS = [
    ("SKIP LOCKED", "after"),
    ('FOR UPDATE OF "inventory_eventseat"', "after"),
    ("UPDATE inventory_eventseat", "after"),
    ('UPDATE "inventory_hold"', "after"),
    ("COMMIT", "before"),
    ("COMMIT", "after"),
]


@pytest.fixture
def lapsed(sale, seats):
    """Two batches of lapsed holds."""
    for first in range(0, 4 * BATCH, 2):
        lapse(place(sale, seats[first : first + 2]))


@pytest.mark.parametrize(("text", "moment"), POINTS)
def test_a_worker_killed_in_a_batch_keeps_nobody_waiting(shop, lapsed, seats, text, moment):
    stands, may_go = threading.Event(), threading.Event()

    def stand_still():
        stands.set()
        may_go.wait(timeout=60)

    shop.postgres.strike_at(text, moment, stand_still)
    shop.start("expire_holds", EXPIRY_BATCH=str(BATCH))
    assert stands.wait(timeout=30)

    # It lives and has its locks: another worker goes around them.
    assert holds.expire_batch(limit=100) == BATCH
    assert holds.expire_batch(limit=100) == 0
    is_committed = (text, moment) == ("COMMIT", "after")
    assert Hold.objects.filter(state=HoldState.ACTIVE).count() == (0 if is_committed else BATCH)

    shop.office.kill("expire_holds")
    may_go.set()
    sweep_until_nothing_has_lapsed()

    assert EventSeat.objects.filter(state=SeatState.AVAILABLE, hold=None).count() == len(seats)
    assert not Hold.objects.exclude(state=HoldState.EXPIRED).exists()
    assert list(audit.run()) == []


def sweep_until_nothing_has_lapsed():
    """PostgreSQL takes a moment to see that a client is gone."""
    for _ in range(500):
        holds.expire_batch(limit=100)
        if not Hold.objects.filter(state=HoldState.ACTIVE).exists():
            return
        time.sleep(0.02)
    pytest.fail("the locks of the dead worker are still there")
