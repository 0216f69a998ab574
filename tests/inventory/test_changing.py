import dataclasses
from datetime import timedelta

import pytest

from events import terms
from inventory import selectors
from inventory.errors import (
    HoldLost,
    LimitReached,
    NoSuchPrice,
    PaymentStarted,
    PlacesTaken,
    SaleClosed,
)
from inventory.models import AdmissionPool, EventSeat, Hold, HoldLine, HoldState
from inventory.services import changing
from inventory.wishes import PoolWish, SeatWish, Wish
from tests import factories
from tests.inventory.asking import confirm, lapse, place, start_payment


def change(sale, placed, seats=(), pools=(), *, owner="a", fare=None, at=None):
    wish = Wish(
        seats=tuple(SeatWish(seat, fare) for seat in seats),
        pools=tuple(PoolWish(pool, places, fare) for pool, places in pools),
    )
    return changing.change(reference=placed.reference, owner=owner, terms=sale, wish=wish, at=at)


def owned(placed):
    return selectors.seat_ids(placed.hold_id)


def test_a_changed_hold_owns_exactly_the_new_wish(sale, seats):
    placed = place(sale, seats[:3], owner="a")

    change(sale, placed, seats[2:5])

    assert owned(placed) == seats[2:5]
    given_up = EventSeat.objects.filter(pk__in=seats[:2])
    assert [(seat.state, seat.hold_id) for seat in given_up] == [("available", None)] * 2
    assert sorted(HoldLine.objects.values_list("seat", flat=True)) == seats[2:5]


def test_a_change_draws_a_new_token_for_every_seat_and_the_old_one_sells_nothing(sale, seats):
    placed = place(sale, seats[:2], owner="a")

    changed = change(sale, placed, seats[1:3])

    tokens = set(EventSeat.objects.filter(pk__in=owned(placed)).values_list("fencing_token"))
    assert tokens == {(changed.fencing_token,)}
    assert changed.fencing_token > placed.fencing_token
    with pytest.raises(HoldLost):
        confirm(placed)
    confirm(changed)


def test_a_change_is_all_or_none(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    place(sale, seats[4:5], owner="b")

    with pytest.raises(PlacesTaken) as refusal:
        change(sale, placed, seats[1:5])

    assert refusal.value.seat_ids == {seats[4]}
    assert owned(placed) == seats[:2]
    assert Hold.objects.get(pk=placed.hold_id).fencing_token == placed.fencing_token


def test_asking_twice_for_the_same_change_changes_nothing_more(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    first = change(sale, placed, seats[1:3])

    assert change(sale, placed, list(reversed(seats[1:3]))) == first


def test_a_change_does_not_lengthen_the_lease(sale, seats):
    placed = place(sale, seats[:2], owner="a")

    assert change(sale, placed, seats[1:3]).expires_at == placed.expires_at


def test_kept_seats_keep_their_price_and_new_ones_have_the_price_of_now(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    dearer = {key: dataclasses.replace(rate, price_minor=9900) for key, rate in sale.rates.items()}

    change(dataclasses.replace(sale, rates=dearer), placed, seats[1:3])

    prices = dict(HoldLine.objects.values_list("seat", "price_minor"))
    assert prices[seats[1]] < 9900
    assert prices[seats[2]] == 9900


def test_a_kept_seat_may_outlive_the_fare_it_was_sold_at(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    withdrawn = dataclasses.replace(sale, rates={})

    change(withdrawn, placed, seats[:1])

    assert owned(placed) == seats[:1]
    with pytest.raises(NoSuchPrice):
        change(withdrawn, placed, seats[:2])


def test_a_change_takes_over_a_lapsed_hold_whole(sale, seats):
    long = dataclasses.replace(sale, lease=timedelta(minutes=15))
    lapsed = place(sale, seats[2:4], owner="b")
    placed = place(long, seats[:1], owner="a")

    change(sale, placed, seats[:3], at=lapsed.expires_at + timedelta(seconds=1))

    assert owned(placed) == seats[:3]
    assert Hold.objects.get(pk=lapsed.hold_id).state == HoldState.EXPIRED
    assert EventSeat.objects.get(pk=seats[3]).state == "available"


def test_a_lapsed_hold_cannot_be_changed(sale, seats):
    placed = place(sale, seats[:1], owner="a")

    with pytest.raises(HoldLost):
        change(sale, placed, seats[:2], at=placed.expires_at)

    assert EventSeat.objects.get(pk=seats[1]).state == "available"


def test_a_hold_of_somebody_else_cannot_be_changed(sale, seats):
    placed = place(sale, seats[:1], owner="a")

    with pytest.raises(HoldLost):
        change(sale, placed, seats[:2], owner="b")


def test_once_a_payment_has_begun_nothing_changes(sale, seats):
    placed = place(sale, seats[:1], owner="a")
    start_payment(placed, sale)

    with pytest.raises(PaymentStarted):
        change(sale, placed, seats[:2])


def test_a_change_counts_against_the_limit_with_what_was_bought(sale, seats):
    few = dataclasses.replace(sale, limit_per_fan=4)
    confirm(place(few, seats[:2], owner="a"))
    placed = place(few, seats[2:4], owner="a")

    with pytest.raises(LimitReached) as refusal:
        change(few, placed, seats[2:5])

    assert (refusal.value.owned, refusal.value.asked) == (2, 3)
    assert owned(placed) == seats[2:4]


def test_who_only_gives_back_is_asked_neither_for_a_sale_nor_for_a_limit(mixed):
    sale, seats, pool = mixed
    placed = place(sale, seats[:3], pools=[(pool.pk, 3)], owner="a")
    closed = dataclasses.replace(sale, windows=(), limit_per_fan=2)

    change(closed, placed, seats[:2], [(pool.pk, 2)])

    pool.refresh_from_db()
    assert (owned(placed), pool.held) == (seats[:2], 2)
    with pytest.raises(SaleClosed):
        change(closed, placed, seats[1:3], [(pool.pk, 2)])
    with pytest.raises(LimitReached):
        change(dataclasses.replace(sale, limit_per_fan=2), placed, seats[1:3], [(pool.pk, 1)])


@pytest.fixture
def mixed(db):
    event = factories.opened_event(pool_capacity=6)
    pool = AdmissionPool.objects.get(event=event)
    seats = EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)
    return terms.of(event.pk), list(seats), pool


@pytest.mark.parametrize("places", [1, 3, 5])
def test_pool_places_follow_the_wish_up_and_down(mixed, places):
    sale, seats, pool = mixed
    placed = place(sale, seats[:1], pools=[(pool.pk, 3)], owner="a")

    change(sale, placed, seats[1:2], [(pool.pk, places)])

    pool.refresh_from_db()
    assert pool.held == places
    assert owned(placed) == seats[1:2]
    [line] = HoldLine.objects.filter(pool=pool)
    assert line.places == places


def test_a_full_pool_leaves_the_hold_as_it_was(mixed):
    sale, seats, pool = mixed
    placed = place(sale, seats[:1], pools=[(pool.pk, 3)], owner="a")
    place(sale, pools=[(pool.pk, 2)], owner="b")

    with pytest.raises(PlacesTaken) as refusal:
        change(sale, placed, seats[1:2], [(pool.pk, 5)])

    pool.refresh_from_db()
    assert refusal.value.pool_ids == {pool.pk}
    assert (pool.held, owned(placed)) == (5, seats[:1])


def test_a_change_may_give_up_all_seats_for_pool_places(mixed):
    sale, seats, pool = mixed
    placed = place(sale, seats[:2], owner="a")

    change(sale, placed, [], [(pool.pk, 2)])

    assert owned(placed) == []
    pool.refresh_from_db()
    assert pool.held == 2


def test_a_hold_whose_seats_are_somebody_elses_by_now_is_lost(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    lapse(placed)
    place(sale, seats[:1], owner="b")

    with pytest.raises(HoldLost):
        change(sale, placed, seats[:3])
