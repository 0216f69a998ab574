"""Races for the last places of a pool, and for the last ones at a fare."""

import threading

import pytest
from django.db import connection, transaction

from events import terms
from inventory.errors import PlacesTaken
from inventory.models import AdmissionPool, EventSeat, FareCap, Hold, SeatState
from inventory.services import counts, opening, pools
from tests import factories
from tests.inventory.asking import confirm, lapse, place
from tests.races.rivals import race, wait_until_somebody_waits
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)
RIVALS = 6


@pytest.fixture
def event(transactional_db):
    """Seats, and a floor for three, of whom one may be a child."""
    event = factories.draft_event(pool_capacity=3)
    opening.open_event(event_id=event.pk, at=event.starts_at)
    floor = AdmissionPool.objects.get(event=event)
    with transaction.atomic():
        pools.cap_fare(pool_id=floor.pk, fare_id=_fare(event, "Child"), capacity=1)
    return event


@pytest.fixture
def floor(event):
    return AdmissionPool.objects.get(event=event)


def _fare(event, name):
    return event.fares.get(name=name).pk


def calls(event, floor, *fares, seats=()):
    """A rival for a place at each of these fares, and for a seat if there are some."""
    common = {"what": "place", "event_id": event.pk, "pool_id": floor.pk}
    asked = [common | {"number": n, "fare_id": _fare(event, fare)} for n, fare in enumerate(fares)]
    return [call | ({"seat_id": seats[n]} if seats else {}) for n, call in enumerate(asked)]


def test_the_last_place_is_sold_once(processes, event, floor):
    confirm(place(terms.of(event.pk), pools=[(floor.pk, 2)]))

    said = processes.race(calls(event, floor, *["Adult"] * RIVALS))

    assert sorted(said) == ["PlacesTaken"] * (RIVALS - 1) + ["done"]
    floor.refresh_from_db()
    assert (floor.held, floor.booked) == (1, 2)


def test_the_last_place_at_a_fare_is_sold_once(processes, event, floor):
    said = processes.race(calls(event, floor, *["Child"] * 4, *["Adult"] * 2))

    assert sorted(said[:4]) == ["PlacesTaken"] * 3 + ["done"]
    assert said[4:] == ["done", "done"]
    floor.refresh_from_db()
    assert (floor.held, FareCap.objects.get().held) == (3, 1)
    assert list(audit.run()) == []


def test_who_gets_no_place_gets_no_seat_either(processes, event, floor, seats):
    said = processes.race(calls(event, floor, *["Child"] * RIVALS, seats=seats))

    assert said.count("done") == 1
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 1
    assert Hold.objects.count() == 1
    assert list(audit.run()) == []


def test_places_of_lapsed_holds_are_sold_once_while_sweepers_run(processes, event, floor):
    for _ in range(3):
        lapse(place(terms.of(event.pk), pools=[(floor.pk, 1)]))
    sweep = [{"what": "expire", "event_id": event.pk}] * 2

    said = processes.race([*calls(event, floor, *["Adult"] * 4), *sweep])

    assert sorted(said[:4]) == ["PlacesTaken", "done", "done", "done"]
    floor.refresh_from_db()
    assert floor.held == 3
    assert list(audit.run()) == []


def test_who_reads_the_count_before_he_writes_sells_a_place_many_times(event, floor, monkeypatch):
    """The control: no condition on the write, and everybody has read before the first writes."""
    everyone = threading.Barrier(RIVALS)

    def take(*, event_id, places):
        [((pool_id, _), more)] = places.items()
        pool = AdmissionPool.objects.get(pk=pool_id)
        everyone.wait(timeout=30)
        if pool.held + pool.booked + more > pool.capacity:
            raise PlacesTaken(pool_ids=[pool_id])
        AdmissionPool.objects.filter(pk=pool_id).update(held=pool.held + more)

    monkeypatch.setattr(counts, "take", take)
    sale = terms.of(event.pk)

    outcomes = race([lambda: place(sale, pools=[(floor.pk, 3)])] * RIVALS)

    assert [outcome.refusal for outcome in outcomes] == [None] * RIVALS
    assert list(audit.run()) != []


def test_a_cap_that_is_set_while_somebody_holds_counts_him(event, floor):
    sale, adult = terms.of(event.pk), _fare(event, "Adult")
    got = []

    def take():
        got.append(place(sale, pools=[(floor.pk, 1)], fare=adult))
        connection.close()

    rival = threading.Thread(target=take)
    with transaction.atomic():
        cap = pools.cap_fare(pool_id=floor.pk, fare_id=adult, capacity=2)
        rival.start()
        wait_until_somebody_waits()
    rival.join()

    assert got
    assert FareCap.objects.get(pk=cap).held == 1
    assert list(audit.run()) == []
