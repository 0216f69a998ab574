"""Where seats go that a hold gives up, and who may take them then."""

from datetime import timedelta

import pytest
from django.db import transaction

from inventory.errors import HoldLost, PlacesTaken
from inventory.models import AdmissionPool, BlockKind, EventSeat, HoldLine
from inventory.services import blocks, cancelling, holds, placing, pools
from inventory.wishes import SeatWish, Wish
from tests.inventory.asking import confirm, place


@pytest.fixture
def block(sale, seats):
    """The first four seats, kept for an offer."""
    return blocks.block(
        event_id=sale.event_id, seat_ids=seats[:4], kind=BlockKind.WAITLIST, reason="sold out"
    )


def offer(sale, seats, block, *, owner="a", at=None):
    wish = Wish(seats=tuple(SeatWish(seat) for seat in seats))
    return placing.place(terms=sale, owner=owner, key=owner, wish=wish, channel=block, at=at)


def states(seats):
    rows = EventSeat.objects.filter(pk__in=seats).order_by("pk")
    return [(row.state, row.block_id) for row in rows]


def test_a_channel_sells_its_own_block(sale, seats, block):
    placed = offer(sale, seats[:2], block)

    assert states(seats[:4]) == [("held", None)] * 2 + [("blocked", block)] * 2
    confirm(placed)
    assert states(seats[:2]) == [("booked", None)] * 2


def test_a_channel_sells_nothing_but_its_own_block(sale, seats, block):
    with pytest.raises(PlacesTaken) as refusal:
        offer(sale, seats[3:5], block)

    assert refusal.value.seat_ids == {seats[4]}


def test_a_block_is_not_for_everybody(sale, seats, block):
    with pytest.raises(PlacesTaken):
        place(sale, seats[3:5])


@pytest.mark.parametrize("ending", ["release", "expire"])
def test_an_offer_that_ends_returns_to_its_block(sale, seats, block, ending):
    placed = offer(sale, seats[:2], block)

    if ending == "release":
        holds.release(reference=placed.reference, owner="a")
    else:
        holds.expire_batch(limit=10, at=placed.expires_at)

    assert states(seats[:4]) == [("blocked", block)] * 4


def test_a_lapsed_offer_is_free_to_its_own_channel_only(sale, seats, block):
    first = offer(sale, seats[:2], block)
    later = first.expires_at + timedelta(seconds=1)

    with pytest.raises(PlacesTaken):
        place(sale, seats[:1], owner="b", at=later)
    second = offer(sale, seats[:1], block, owner="c", at=later)

    assert states(seats[:2]) == [("held", None), ("blocked", block)]
    assert EventSeat.objects.get(pk=seats[0]).hold_id == second.hold_id


def test_a_lapsed_hold_of_everybody_is_not_free_to_a_channel(sale, seats, block):
    first = place(sale, seats[4:5])

    with pytest.raises(PlacesTaken):
        offer(sale, seats[4:5], block, at=first.expires_at + timedelta(seconds=1))


def test_a_fans_own_lapsed_offer_goes_back_before_he_buys_among_everybody(sale, seats, block):
    first = offer(sale, seats[:1], block)

    place(sale, seats[4:5], owner="a", at=first.expires_at)

    assert states([seats[0], seats[4]]) == [("blocked", block), ("held", None)]


def cancel(placed, seats=(), pools=None, *, returns_to=None, token=None):
    with transaction.atomic():
        cancelling.cancel(
            hold_id=placed.hold_id,
            fencing_token=token or placed.fencing_token,
            seat_ids=seats,
            pool_places=pools,
            returns_to=returns_to,
        )


def test_cancelled_seats_go_where_the_caller_says(sale, seats, block):
    placed = place(sale, seats[4:7])
    confirm(placed)

    cancel(placed, seats[4:5])
    cancel(placed, seats[5:6], returns_to=block)

    assert states(seats[4:7]) == [("available", None), ("blocked", block), ("booked", None)]
    assert HoldLine.objects.filter(cancelled=1).count() == 2


def test_a_seat_is_cancelled_once(sale, seats):
    placed = place(sale, seats[:2])
    confirm(placed)
    cancel(placed, seats[:1])
    again = place(sale, seats[:1])

    with pytest.raises(HoldLost):
        cancel(placed, seats[:2])

    assert EventSeat.objects.get(pk=seats[0]).hold_id == again.hold_id
    assert states(seats[1:2]) == [("booked", None)]


def test_what_is_not_sold_or_carries_another_token_is_not_cancelled(sale, seats):
    placed = place(sale, seats[:2])
    with pytest.raises(HoldLost):
        cancel(placed, seats[:1])
    confirm(placed)

    with pytest.raises(HoldLost):
        cancel(placed, seats[:1], token=placed.fencing_token + 1)


def test_pool_places_are_cancelled_up_to_what_was_sold(sale, seats):
    zone_id = EventSeat.objects.get(pk=seats[0]).zone_id
    pool_id = pools.add(event_id=sale.event_id, zone_id=zone_id, name="Floor", capacity=5)
    placed = place(sale, pools=[(pool_id, 3)])
    confirm(placed)
    cancel(placed, pools={(pool_id, sale.first_fare_id): 2})

    with pytest.raises(HoldLost):
        cancel(placed, pools={(pool_id, sale.first_fare_id): 2})

    assert AdmissionPool.objects.get(pk=pool_id).booked == 1
