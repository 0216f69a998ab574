"""Seats kept from sale: all or none, over lapsed holds but no others, and every change written."""

import pytest
from django.db import transaction
from django.utils import timezone

from inventory.errors import EmptyWish, NotBlocked, NotFree, PlacesTaken
from inventory.models import Block, BlockChange, BlockKind, EventSeat, Hold, HoldState, SeatState
from inventory.services import blocks, placing
from inventory.wishes import SeatWish, Wish
from tests.factories import UserFactory, opened_event
from tests.inventory.asking import confirm, lapse, place
from ticketing.kernel.acting import Actor

pytestmark = pytest.mark.django_db
OPERATOR = Actor(name="olu, by a command")


def block(sale, seats, **more):
    return blocks.block(
        event_id=sale.event_id,
        seat_ids=seats,
        kind=BlockKind.HOUSE,
        reason="for the band",
        by=OPERATOR,
        **more,
    )


def lift(sale, seats):
    return blocks.lift(event_id=sale.event_id, seat_ids=seats, why="not needed", by=OPERATOR)


def offer(sale, seats, channel):
    wish = Wish(seats=tuple(SeatWish(seat) for seat in seats))
    return placing.place(terms=sale, owner="a", key="a", wish=wish, channel=channel)


def in_state(state, **more):
    return set(EventSeat.objects.filter(state=state, **more).values_list("pk", flat=True))


def changes(made):
    rows = BlockChange.objects.filter(block_id=made).order_by("pk")
    return [(row.verb, row.who, row.why, row.seat_ids) for row in rows]


def test_blocked_seats_are_kept_from_sale_and_it_says_who_and_why(sale, seats):
    made = block(sale, seats[:2])

    assert in_state(SeatState.BLOCKED, block_id=made) == set(seats[:2])
    with pytest.raises(PlacesTaken):
        place(sale, seats[:1])
    assert changes(made) == [("set", "olu, by a command", "for the band", seats[:2])]


def test_staff_are_named_by_their_account(sale, seats):
    user = UserFactory.create(name="Olu Ade")

    made = blocks.block(
        event_id=sale.event_id,
        seat_ids=seats[:1],
        kind=BlockKind.KILL,
        reason="broken",
        by=Actor(user_id=user.pk),
    )

    assert Block.objects.get(pk=made).created_by == user
    assert BlockChange.objects.get().who == "Olu Ade"


def test_a_block_takes_all_its_seats_or_none_and_says_how_each_stands(sale, seats):
    held = place(sale, [seats[1]])
    confirm(place(sale, [seats[2]]))
    other = block(sale, [seats[3]])
    stranger = EventSeat.objects.filter(event=opened_event(rows=1)).earliest("pk").pk

    with pytest.raises(NotFree) as refusal:
        block(sale, [*seats[:5], stranger])

    found = refusal.value.standing
    assert found.free == {seats[0], seats[4]}
    assert found.held == {seats[1]: held.expires_at}
    assert found.booked == {seats[2]}
    assert found.blocked == {seats[3]: other}
    assert found.unknown == {stranger}
    assert in_state(SeatState.BLOCKED) == {seats[3]}
    assert Block.objects.count() == BlockChange.objects.count() == 1


def test_a_lapsed_hold_in_the_way_is_expired_whole(sale, seats):
    placed = place(sale, seats[:3])
    lapse(placed)

    block(sale, seats[:2])

    assert Hold.objects.get(pk=placed.hold_id).state == HoldState.EXPIRED
    assert in_state(SeatState.BLOCKED) == set(seats[:2])
    assert in_state(SeatState.HELD) == set()


def test_a_lapsed_offer_returned_its_seats_to_their_block(sale, seats):
    made = block(sale, seats[:2])
    lapse(offer(sale, seats[:1], made))

    with pytest.raises(NotFree) as refusal:
        block(sale, seats[:1])

    assert refusal.value.standing.blocked == {seats[0]: made}


def test_a_block_of_no_seats_is_none(sale):
    with pytest.raises(EmptyWish):
        block(sale, [])

    assert not Block.objects.exists()


def test_a_part_of_a_block_is_lifted_and_the_rest_stays(sale, seats):
    made = block(sale, seats[:3])

    assert lift(sale, seats[:1]) == {made: 1}

    assert in_state(SeatState.BLOCKED) == set(seats[1:3])
    place(sale, seats[:1])
    assert changes(made)[1:] == [("lifted", "olu, by a command", "not needed", seats[:1])]


def test_seats_of_several_blocks_are_lifted_at_once_and_each_block_knows(sale, seats):
    first, second = block(sale, seats[:2]), block(sale, seats[2:4])

    assert lift(sale, seats[1:4]) == {first: 1, second: 2}

    assert changes(first)[1][3] == seats[1:2]
    assert changes(second)[1][3] == seats[2:4]


def test_what_is_in_no_block_is_not_lifted_nor_is_anything_with_it(sale, seats):
    made = block(sale, seats[:2])

    with pytest.raises(NotBlocked) as refusal:
        lift(sale, seats[:3])

    assert refusal.value.seat_ids == {seats[2]}
    assert len(changes(made)) == 1


def test_a_whole_block_is_lifted_with_what_lapsed_offers_gave_back(sale, seats):
    made = block(sale, seats[:3])
    lapse(offer(sale, seats[:1], made))

    assert blocks.lift_block(block_id=made, why="not needed", by=OPERATOR) == 3

    assert in_state(SeatState.AVAILABLE) == set(seats)
    assert blocks.lift_block(block_id=made, why="again", by=OPERATOR) == 0
    assert len(changes(made)) == 2


def test_what_somebody_holds_from_a_block_stays_his_when_the_rest_is_lifted(sale, seats):
    made = block(sale, seats[:3])
    placed = offer(sale, seats[:1], made)

    assert blocks.lift_block(block_id=made, why="not needed", by=OPERATOR) == 2

    assert in_state(SeatState.HELD, hold_id=placed.hold_id) == set(seats[:1])


def test_kind_and_reason_of_a_block_can_be_said_anew(sale, seats):
    made = block(sale, seats[:1])
    anew = {"block_id": made, "kind": BlockKind.PRODUCTION, "reason": "sound desk"}

    with transaction.atomic():
        assert blocks.edit(**anew, by=OPERATOR, at=timezone.now())
        assert not blocks.edit(**anew, by=OPERATOR, at=timezone.now())

    assert str(Block.objects.get()) == "production: sound desk"
    verb, who, why, seat_ids = changes(made)[1]
    assert (verb, who, seat_ids) == ("edited", "olu, by a command", [])
    assert why == "“house seats: for the band” became “production: sound desk”"
