"""Fares of general admission: tickets that take several places, and caps of their own."""

from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from events import terms
from events.models import Price
from inventory import selectors
from inventory.errors import (
    BrokenTickets,
    CapTooLow,
    HoldLost,
    LimitReached,
    NoSuchPrice,
    OpeningRefused,
    PlacesTaken,
    RepeatedPlaces,
)
from inventory.models import AdmissionPool, EventSeat, FareCap, Hold, HoldLine, SeatState
from inventory.services import cancelling, changing, fares, holds, opening, placing, pools
from inventory.wishes import PoolWish, SeatWish, Wish
from tests import factories
from tests.inventory.asking import confirm, lapse, place

pytestmark = pytest.mark.django_db


@pytest.fixture
def event():
    """Seats, and a floor of ten: families of four cost 90 there, and of children there are four."""
    event = factories.draft_event(pool_capacity=10)
    factories.add_fare(event, "Family", price_minor=9000, places=4)
    opening.open_event(event_id=event.pk, at=timezone.now())
    return event


@pytest.fixture
def floor(event, child):
    pool = AdmissionPool.objects.get(event=event)
    with transaction.atomic():
        pools.cap_fare(pool_id=pool.pk, fare_id=child, capacity=4)
    return pool.pk


@pytest.fixture
def adult(event):
    return event.fares.get(name="Adult").pk


@pytest.fixture
def child(event):
    return event.fares.get(name="Child").pk


@pytest.fixture
def family(event):
    return event.fares.get(name="Family").pk


@pytest.fixture
def ask(sale, floor):
    """Places of the floor at one fare, for a new fan."""
    return lambda places, fare, **more: place(sale, pools=[(floor, places)], fare=fare, **more)


def change(sale, placed, *, seats=(), owner="a", **places):
    wish = Wish(
        seats=tuple(SeatWish(seat) for seat in seats),
        pools=tuple(PoolWish(places["floor"], n, fare) for n, fare in places["of"]),
    )
    return changing.change(reference=placed.reference, owner=owner, terms=sale, wish=wish)


def counts(floor):
    """Held and booked: of the pool, then of the cap."""
    pool, cap = AdmissionPool.objects.get(pk=floor), FareCap.objects.get(pool=floor)
    return [(pool.held, pool.booked), (cap.held, cap.booked)]


def test_a_family_is_one_ticket_of_four_places(ask, floor, family):
    placed = ask(4, family)

    [line] = selectors.lines(placed.hold_id)
    assert (line.places, line.tickets, line.admits) == (4, 1, 4)
    assert line.total.minor == 9000
    assert counts(floor) == [(4, 0), (0, 0)]


def test_tickets_are_not_broken(ask, family, floor):
    with pytest.raises(BrokenTickets):
        ask(6, family)

    assert counts(floor) == [(0, 0), (0, 0)]


def test_the_limit_of_a_fan_counts_places(event, floor, family):
    type(event).objects.filter(pk=event.pk).update(limit_per_fan=7)

    with pytest.raises(LimitReached):
        place(terms.of(event.pk), pools=[(floor, 8)], fare=family)


def test_a_pool_is_full_when_no_whole_ticket_fits(ask, adult, family):
    ask(4, adult)
    ask(4, family)

    with pytest.raises(PlacesTaken):
        ask(4, family)


def test_a_seat_is_one_place(sale, seats, family):
    with pytest.raises(NoSuchPrice):
        place(sale, seats[:1], fare=family)


def test_the_first_fare_is_not_asked_for_twice(sale, floor, adult):
    wish = Wish(pools=(PoolWish(floor, 1), PoolWish(floor, 1, adult)))

    with pytest.raises(RepeatedPlaces):
        placing.place(terms=sale, owner="a", key="k", wish=wish)


def test_a_fare_sells_up_to_its_cap_exactly(ask, child, floor):
    ask(3, child)

    with pytest.raises(PlacesTaken) as refusal:
        ask(2, child)
    ask(1, child)

    assert refusal.value.fare_ids == {child}
    assert counts(floor) == [(4, 0), (4, 0)]


def test_a_capped_fare_leaves_the_pool_to_the_others(ask, adult, child, floor):
    ask(4, child)
    ask(6, adult)

    assert counts(floor) == [(10, 0), (4, 0)]


def test_a_full_pool_has_no_place_at_a_capped_fare_either(ask, adult, child, event, floor):
    ask(7, adult)

    [pool] = selectors.pools(event.pk)
    assert pool.free_at(child) == 3
    with pytest.raises(PlacesTaken) as refusal:
        ask(4, child)

    assert refusal.value.pool_ids == {floor}
    assert not refusal.value.fare_ids


def test_seats_and_places_are_held_all_or_none(sale, seats, ask, child, floor):
    ask(4, child)

    with pytest.raises(PlacesTaken):
        place(sale, seats[:2], pools=[(floor, 1)], fare=child)

    assert not EventSeat.objects.filter(state=SeatState.HELD).exists()
    assert Hold.objects.count() == 1
    assert counts(floor) == [(4, 0), (4, 0)]


@pytest.mark.parametrize("ending", ["release", "expire", "take over"])
def test_what_ends_unsold_is_free_at_the_fare_again(ask, child, event, floor, ending):
    placed = ask(4, child, owner="a")

    if ending == "release":
        holds.release(reference=placed.reference, owner="a")
    else:
        lapse(placed)
        [pool] = selectors.pools(event.pk)
        assert pool.free_at(child) == 4
    if ending == "expire":
        holds.expire_batch(limit=10)
    ask(4, child)

    assert counts(floor) == [(4, 0), (4, 0)]


def test_a_lapsed_child_is_found_behind_many_lapsed_adults(ask, adult, child, monkeypatch):
    monkeypatch.setattr("inventory.services.judging.SWEEP", 1)
    for placed in [ask(1, adult), ask(1, adult), ask(4, child)]:
        lapse(placed)

    assert ask(2, child)


def test_sold_places_count_and_come_back_when_cancelled(ask, child, floor):
    placed = ask(4, child)
    confirm(placed)
    assert counts(floor) == [(0, 4), (0, 4)]

    _cancel(placed, {(floor, child): 3})

    assert counts(floor) == [(0, 1), (0, 1)]
    ask(3, child)


def test_a_ticket_is_cancelled_whole(sale, floor, family):
    placed = place(sale, pools=[(floor, 8)], fare=family)
    confirm(placed)

    with pytest.raises(HoldLost):
        _cancel(placed, {(floor, family): 2})
    _cancel(placed, {(floor, family): 4})

    assert counts(floor)[0] == (0, 4)


def _cancel(placed, places):
    with transaction.atomic():
        cancelling.cancel(
            hold_id=placed.hold_id,
            fencing_token=placed.fencing_token,
            pool_places=places,
            returns_to=None,
        )


def test_a_hold_gives_up_some_of_its_places(sale, seats, floor, child, adult):
    placed = place(sale, seats[:2], pools=[(floor, 4)], fare=child, owner="a")

    change(sale, placed, seats=seats[:1], floor=floor, of=[(1, child), (2, adult)])

    assert counts(floor) == [(3, 0), (1, 0)]
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 1


def test_a_change_beyond_the_cap_changes_nothing(sale, ask, floor, child):
    ask(2, child)
    placed = ask(2, child, owner="a")

    with pytest.raises(PlacesTaken):
        change(sale, placed, floor=floor, of=[(3, child)])

    assert counts(floor) == [(4, 0), (4, 0)]


def lines_of(placed):
    rows = HoldLine.objects.filter(hold_id=placed.hold_id).order_by("fare__rank")
    return [(row.fare.name, row.places, row.price_minor) for row in rows]


@pytest.fixture
def swap(sale):
    """Give the lines of a hold, by the names of their fares, other fares."""

    def act(placed, **wished):
        rows = HoldLine.objects.filter(hold_id=placed.hold_id).select_related("fare")
        ids = {row.fare.name: row.pk for row in rows}
        fares.change_fares(
            reference=placed.reference,
            owner="a",
            terms=sale,
            fares={ids[name]: fare for name, fare in wished.items()},
        )

    return act


def test_another_fare_counts_at_its_cap(swap, ask, adult, child, floor):
    placed = ask(4, adult, owner="a")

    swap(placed, Adult=child)

    assert lines_of(placed) == [("Child", 4, 2500)]
    assert counts(floor) == [(4, 0), (4, 0)]


def test_another_fare_is_refused_beyond_its_cap(swap, ask, adult, child, floor):
    ask(1, child)
    placed = ask(4, adult, owner="a")

    with pytest.raises(PlacesTaken):
        swap(placed, Adult=child)

    assert lines_of(placed) == [("Adult", 4, 5000)]
    assert counts(floor) == [(5, 0), (1, 0)]


def test_four_adults_become_a_family(swap, ask, adult, family):
    placed = ask(4, adult, owner="a")

    swap(placed, Adult=family)

    assert lines_of(placed) == [("Family", 4, 9000)]


def test_three_adults_do_not_become_a_family(swap, ask, adult, family):
    placed = ask(3, adult, owner="a")

    with pytest.raises(BrokenTickets):
        swap(placed, Adult=family)

    assert lines_of(placed) == [("Adult", 3, 5000)]


@pytest.fixture
def two_adults_and_a_child(sale, ask, adult, child, floor):
    placed = ask(2, adult, owner="a")
    return change(sale, placed, floor=floor, of=[(2, adult), (1, child)])


def test_lines_of_one_fare_become_one(swap, two_adults_and_a_child, adult, floor):
    swap(two_adults_and_a_child, Child=adult)

    assert lines_of(two_adults_and_a_child) == [("Adult", 3, 5000)]
    assert counts(floor) == [(3, 0), (0, 0)]


def test_two_lines_change_places(swap, two_adults_and_a_child, adult, child, floor):
    swap(two_adults_and_a_child, Child=adult, Adult=child)

    assert lines_of(two_adults_and_a_child) == [("Adult", 1, 5000), ("Child", 2, 2500)]
    assert counts(floor) == [(3, 0), (2, 0)]


def test_a_cap_counts_what_was_sold_before_it(ask, adult, floor):
    confirm(ask(3, adult))
    ask(2, adult)
    cap = partial(pools.cap_fare, pool_id=floor, fare_id=adult)

    with transaction.atomic():
        with pytest.raises(CapTooLow) as refusal:
            cap(capacity=4)
        made = FareCap.objects.get(pk=cap(capacity=6))

    assert refusal.value.taken == 5
    assert (made.held, made.booked) == (2, 3)
    ask(1, adult)
    with pytest.raises(PlacesTaken):
        ask(1, adult)


def test_a_fare_of_several_places_needs_no_price_where_there_are_seats():
    event = factories.draft_event(pool_capacity=10)
    factories.add_fare(event, "Family", places=4)
    Price.objects.filter(zone__name="Stalls", fare__name="Family").delete()

    assert opening.open_event(event_id=event.pk, at=timezone.now()).is_new


def test_the_fare_of_who_chooses_none_is_one_that_seats_have():
    event = factories.draft_event()
    event.fares.filter(name="Adult").update(places=2)

    with pytest.raises(OpeningRefused, match="it must take one place"):
        opening.open_event(event_id=event.pk, at=timezone.now())


@pytest.mark.parametrize("places", [(1, 1), (1, 3), (3, 1)])
def test_a_change_does_not_ask_for_the_first_fare_twice(sale, ask, floor, adult, places):
    placed = ask(2, adult, owner="a")

    with pytest.raises(RepeatedPlaces):
        change(sale, placed, floor=floor, of=zip(places, [None, adult], strict=True))

    assert counts(floor)[0] == (2, 0)
