import dataclasses
from datetime import timedelta

import pytest

from events import terms
from inventory.errors import (
    AlreadyHolding,
    EmptyWish,
    HoldEnded,
    LimitReached,
    NoSuchPrice,
    PlacesTaken,
    RepeatedPlaces,
    SaleClosed,
    UnknownPlaces,
)
from inventory.models import AdmissionPool, EventSeat, Hold, HoldLine, HoldState, SeatState
from inventory.services import holds
from tests import factories
from tests.inventory.asking import confirm, place
from ticketing.kernel.idempotency import KeyReused


def states(seats):
    return list(
        EventSeat.objects.filter(pk__in=seats).order_by("pk").values_list("state", flat=True)
    )


def after(placed, seconds=1):
    """A moment after the lease has lapsed."""
    return placed.expires_at + timedelta(seconds=seconds)


def test_a_hold_owns_its_seats_with_its_token(sale, seats):
    placed = place(sale, seats[:2])

    rows = EventSeat.objects.filter(pk__in=seats[:2])
    assert {(row.state, row.hold_id, row.fencing_token) for row in rows} == {
        (SeatState.HELD, placed.hold_id, placed.fencing_token)
    }
    assert states(seats[2:]) == [SeatState.AVAILABLE] * 18


def test_a_hold_takes_all_its_seats_or_none(sale, seats):
    place(sale, seats[:1])

    with pytest.raises(PlacesTaken) as refusal:
        place(sale, seats[:3])

    assert refusal.value.seat_ids == {seats[0]}
    assert states(seats[1:3]) == [SeatState.AVAILABLE] * 2
    assert Hold.objects.count() == 1


def test_the_same_key_and_wish_are_answered_with_the_same_hold(sale, seats):
    first = place(sale, seats[:2], owner="a", key="k")

    again = place(sale, list(reversed(seats[:2])), owner="a", key="k")

    assert again == first


def test_the_same_key_with_another_wish_is_refused(sale, seats):
    place(sale, seats[:2], owner="a", key="k")

    with pytest.raises(KeyReused):
        place(sale, seats[2:4], owner="a", key="k")

    assert states(seats[2:4]) == [SeatState.AVAILABLE] * 2


def test_a_key_belongs_to_its_owner(sale, seats):
    place(sale, seats[:2], owner="a", key="k")

    other = place(sale, seats[2:4], owner="b", key="k")

    assert Hold.objects.get(pk=other.hold_id).owner == "b"


def test_a_key_whose_hold_is_over_asks_for_a_new_key(sale, seats):
    placed = place(sale, seats[:2], owner="a", key="k")
    holds.release(reference=placed.reference, owner="a")

    with pytest.raises(HoldEnded):
        place(sale, seats[:2], owner="a", key="k")


def test_a_fan_with_a_live_hold_is_led_back_to_it(sale, seats):
    placed = place(sale, seats[:2], owner="a")

    with pytest.raises(AlreadyHolding) as refusal:
        place(sale, seats[2:4], owner="a")

    assert refusal.value.reference == placed.reference


def test_a_fans_own_lapsed_hold_makes_room_for_a_new_one(sale, seats):
    old = place(sale, seats[:2], owner="a")

    new = place(sale, seats[1:3], owner="a", at=after(old))

    assert new.fencing_token > old.fencing_token
    assert Hold.objects.get(pk=old.hold_id).state == HoldState.EXPIRED
    assert states(seats[:4]) == ["available", "held", "held", "available"]


def test_a_lapsed_hold_gives_way_whole_and_strands_no_seat(sale, seats):
    old = place(sale, seats[:3], owner="a")

    new = place(sale, seats[:1], owner="b", at=after(old))

    assert states(seats[:3]) == ["held", "available", "available"]
    assert EventSeat.objects.get(pk=seats[0]).fencing_token == new.fencing_token
    assert Hold.objects.get(pk=old.hold_id).state == HoldState.EXPIRED


def test_a_lease_that_ends_this_instant_has_lapsed(sale, seats):
    old = place(sale, seats[:1])

    new = place(sale, seats[:1], at=old.expires_at)

    assert new.hold_id != old.hold_id


def test_a_live_lease_is_not_taken_over(sale, seats):
    old = place(sale, seats[:1])

    with pytest.raises(PlacesTaken):
        place(sale, seats[:1], at=old.expires_at - timedelta(microseconds=1))


def test_a_free_seat_keeps_its_last_token(sale, seats):
    placed = place(sale, seats[:1], owner="a")

    holds.release(reference=placed.reference, owner="a")

    row = EventSeat.objects.get(pk=seats[0])
    assert (row.state, row.fencing_token) == (SeatState.AVAILABLE, placed.fencing_token)


@pytest.mark.parametrize(
    ("chosen", "refusal"),
    [
        pytest.param(lambda seats: [], EmptyWish, id="no seat"),
        pytest.param(lambda seats: [seats[0], seats[0]], RepeatedPlaces, id="one seat twice"),
        pytest.param(lambda seats: [seats[0], 10**12], UnknownPlaces, id="no such seat"),
        pytest.param(lambda seats: range(1, 10_001), LimitReached, id="10,000 seats"),
    ],
)
def test_a_wish_that_nobody_could_have_holds_nothing(sale, seats, chosen, refusal):
    with pytest.raises(refusal):
        place(sale, list(chosen(seats)))

    assert set(states(seats)) == {SeatState.AVAILABLE}
    assert not Hold.objects.exists()


def test_a_seat_of_another_event_is_unknown_here(sale, seats):
    other = factories.opened_event()
    stranger = EventSeat.objects.filter(event=other).first()

    with pytest.raises(UnknownPlaces) as refusal:
        place(sale, [seats[0], stranger.pk])

    assert refusal.value.seat_ids == {stranger.pk}
    assert states(seats[:1]) == [SeatState.AVAILABLE]


def test_nothing_is_held_before_the_sale_opens_and_the_refusal_says_when(sale, seats):
    opens = sale.windows[0][0]

    with pytest.raises(SaleClosed) as refusal:
        place(sale, seats[:1], at=opens - timedelta(seconds=1))

    assert refusal.value.opens_at == opens


def test_nothing_is_held_from_the_very_end_of_the_sale(sale, seats):
    with pytest.raises(SaleClosed):
        place(sale, seats[:1], at=sale.windows[0][1])


def test_nothing_is_held_while_the_sale_is_paused(event, seats):
    event.is_paused = True
    event.save()

    with pytest.raises(SaleClosed):
        place(terms.of(event.pk), seats[:1])


def test_a_fare_without_a_price_in_the_zone_is_refused(sale, seats):
    with pytest.raises(NoSuchPrice):
        place(sale, seats[:1], fare=10**9)


def test_the_limit_counts_what_the_fan_bought_before(sale, seats):
    sale = dataclasses.replace(sale, limit_per_fan=3)
    placed = place(sale, seats[:2], owner="a")
    confirm(placed)

    with pytest.raises(LimitReached) as refusal:
        place(sale, seats[2:4], owner="a")

    assert (refusal.value.owned, refusal.value.asked) == (2, 2)
    assert place(sale, seats[2:3], owner="a")


def test_prices_and_fees_are_frozen_with_the_hold(event, sale, seats):
    placed = place(sale, seats[:1])
    event.price_zones.get().prices.update(amount_minor=9900)

    line = HoldLine.objects.get(hold_id=placed.hold_id)
    assert line.price_minor == 5000


@pytest.fixture
def pool(db):
    event = factories.opened_event(rows=0, pool_capacity=5)
    return AdmissionPool.objects.get(event=event)


def counts(pool):
    pool.refresh_from_db()
    return pool.held, pool.booked


def test_a_hold_of_pool_places_counts_them_as_held(pool):
    place(terms.of(pool.event_id), pools=[(pool.pk, 3)])

    assert counts(pool) == (3, 0)


def test_a_pool_refuses_more_than_it_has_left(pool):
    sale = terms.of(pool.event_id)
    place(sale, pools=[(pool.pk, 3)])

    with pytest.raises(PlacesTaken) as refusal:
        place(sale, pools=[(pool.pk, 3)])

    assert refusal.value.pool_ids == {pool.pk}
    assert counts(pool) == (3, 0)


def test_lapsed_places_of_a_full_pool_are_free_without_any_worker(pool):
    sale = terms.of(pool.event_id)
    old = place(sale, pools=[(pool.pk, 5)])

    place(sale, pools=[(pool.pk, 5)], at=after(old))

    assert counts(pool) == (5, 0)
    assert Hold.objects.get(pk=old.hold_id).state == HoldState.EXPIRED


def test_a_pool_of_another_event_is_unknown_here(pool, sale):
    with pytest.raises(UnknownPlaces):
        place(sale, pools=[(pool.pk, 1)])


def test_placing_asks_the_database_few_questions(sale, seats, django_assert_num_queries):
    # Savepoint, the fan's lock, what he and lapsed owners hold, the seats' lock, the write.
    with django_assert_num_queries(6):
        place(sale, seats[:2])
