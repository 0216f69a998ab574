"""Races for seats on a real database, each with its negative control.

A control removes lock *and* guard and sees the race go wrong: it shows that the test could fail.
"""

import itertools
import random
import threading
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from events import terms
from inventory.errors import PlacesTaken
from inventory.models import AdmissionPool, EventSeat, Hold, HoldState, SeatState
from inventory.services import grants, locks, pools
from tests import factories
from tests.inventory.asking import lapse, place
from tests.races.rivals import race, wait_until_somebody_waits
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


def winners(outcomes):
    return [outcome.value for outcome in outcomes if outcome.refusal is None]


def refusals(outcomes):
    return {type(outcome.refusal) for outcome in outcomes if outcome.refusal}


@pytest.fixture
def unguarded(monkeypatch):
    """No lock on the rows, and no condition on the write."""
    monkeypatch.setattr(locks, "SEATS", locks.SEATS.replace("FOR UPDATE", ""))
    monkeypatch.setattr(grants, "FOR_ALL", "true")


@pytest.fixture
def slow_writers(monkeypatch):
    """Every rival reads before the first one writes, so that a missing lock must show."""
    everyone = threading.Barrier(50)
    write = grants.new_hold

    def write_together(**values):
        everyone.wait(timeout=30)
        return write(**values)

    monkeypatch.setattr(grants, "new_hold", write_together)


def test_one_of_fifty_rivals_gets_the_seat(sale, seats):
    outcomes = race([lambda: place(sale, seats[:1])] * 50)

    [winner] = winners(outcomes)
    assert refusals(outcomes) == {PlacesTaken}
    row = EventSeat.objects.get(pk=seats[0])
    assert (row.hold_id, row.fencing_token) == (winner.hold_id, winner.fencing_token)
    assert Hold.objects.count() == 1
    assert list(audit.run()) == []


def test_without_lock_and_guard_many_rivals_win(sale, seats, unguarded, slow_writers):
    outcomes = race([lambda: place(sale, seats[:1])] * 50)

    assert len(winners(outcomes)) > 1
    assert list(audit.run()) != []


def test_overlapping_pairs_are_all_or_none(sale, seats):
    pairs = [seats[i : i + 2] for i in range(10)] * 3
    random.shuffle(pairs)

    outcomes = race([partial(place, sale, pair) for pair in pairs])

    assert refusals(outcomes) <= {PlacesTaken}
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 2 * len(winners(outcomes))
    assert list(audit.run()) == []


def test_three_seats_in_any_order_never_deadlock(sale, seats):
    orders = [list(order) for order in itertools.permutations(seats[:3])] * 5

    outcomes = race([partial(place, sale, order) for order in orders])

    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {PlacesTaken}


def test_one_key_in_parallel_is_one_hold(sale, seats):
    outcomes = race([lambda: place(sale, seats[:2], owner="a", key="k")] * 20)

    assert len(set(winners(outcomes))) == 1
    assert len(winners(outcomes)) == 20
    assert Hold.objects.count() == 1


def test_the_last_place_of_a_pool_is_sold_once():
    event = factories.opened_event(rows=0, pool_capacity=5)
    pool = AdmissionPool.objects.get(event=event)
    sale = terms.of(event.pk)

    outcomes = race([lambda: place(sale, pools=[(pool.pk, 2)])] * 20)

    pool.refresh_from_db()
    assert len(winners(outcomes)) == 2
    assert pool.held == 4
    assert list(audit.run()) == []


RIVALS = ["extend", "confirm", "release", "expire"]


@pytest.mark.parametrize("what", RIVALS)
def test_a_lapsed_hold_of_three_is_taken_over_against_one_rival(processes, sale, seats, what):
    _take_over_against(processes, sale, seats, [what])


def test_a_lapsed_hold_of_three_is_taken_over_against_all_rivals(processes, sale, seats):
    _take_over_against(processes, sale, seats, RIVALS)


def _take_over_against(processes, sale, seats, rivals):
    """Each time every seat has one owner, none is stranded, and the lapsed hold never wins."""
    old = place(sale, seats[:3], owner="a")
    lapse(old)
    call = {"event_id": sale.event_id, "hold_id": old.hold_id, "seat_id": seats[1]}
    calls = [call | {"what": "place", "number": n} for n in range(2)]

    said = processes.race(calls + [call | {"what": what} for what in rivals])

    assert sorted(said[:2]) == ["PlacesTaken", "done"]
    for what, outcome in zip(rivals, said[2:], strict=True):
        assert outcome == ("HoldLost" if what in {"extend", "confirm"} else "done")
    taken = EventSeat.objects.get(pk=seats[1])
    assert taken.hold_id != old.hold_id
    assert taken.state == SeatState.HELD
    others = EventSeat.objects.filter(pk__in=[seats[0], seats[2]])
    assert {seat.state for seat in others} == {SeatState.AVAILABLE}
    assert Hold.objects.get(pk=old.hold_id).state in {HoldState.EXPIRED, HoldState.RELEASED}
    assert list(audit.run()) == []


def test_a_hold_that_is_still_live_survives_all_rivals_but_its_own_release(processes, sale, seats):
    old = place(sale, seats[:3], owner="a")
    call = {"event_id": sale.event_id, "hold_id": old.hold_id, "seat_id": seats[1]}

    said = processes.race([call | {"what": what} for what in ["place", "confirm", "expire"]])

    assert said == ["PlacesTaken", "done", "done"]
    assert EventSeat.objects.filter(state=SeatState.BOOKED, hold_id=old.hold_id).count() == 3


def test_seats_are_locked_in_order_before_they_are_written(sale, seats):
    with CaptureQueriesContext(connection) as queries:
        place(sale, list(reversed(seats[:3])))

    said = [query["sql"] for query in queries]
    lock = next(i for i, sql in enumerate(said) if "FOR UPDATE" in sql and "eventseat" in sql)
    write = next(i for i, sql in enumerate(said) if "UPDATE inventory_eventseat" in sql)
    assert "ORDER BY" in said[lock]
    assert lock < write


def test_pools_of_an_ended_hold_and_of_the_wish_are_locked_in_one_order():
    event = factories.opened_event(pool_capacity=5)
    first = AdmissionPool.objects.get(event=event)
    second = pools.add(event_id=event.pk, zone_id=first.zone_id, name="Right", capacity=5)
    sale, seat = terms.of(event.pk), EventSeat.objects.filter(event=event).earliest("pk").pk
    lapse(place(sale, [seat], pools=[(second, 1)]))
    got = []

    def take_over():
        got.append(place(sale, [seat], pools=[(first.pk, 1)]))
        connection.close()

    rival = threading.Thread(target=take_over)
    with transaction.atomic():
        AdmissionPool.objects.select_for_update().get(pk=first.pk)
        rival.start()
        wait_until_somebody_waits()
        # Who waits for the first has not taken the second yet.
        assert AdmissionPool.objects.select_for_update(nowait=True).get(pk=second).held == 1
    rival.join()

    assert got
