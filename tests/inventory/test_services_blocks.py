import pytest

from events import terms
from inventory.errors import PlacesTaken
from inventory.models import Block, BlockKind, EventSeat, SeatState
from inventory.services import blocks
from tests.factories import opened_event
from tests.inventory.asking import place

pytestmark = pytest.mark.django_db


def block(event, seats):
    return blocks.block(
        event_id=event.pk,
        seat_ids=[seat.pk for seat in seats],
        kind=BlockKind.HOUSE,
        reason="for the band",
    )


def test_blocked_seats_are_kept_from_sale_under_a_reason():
    event = opened_event(rows=1, seats_per_row=4)
    seats = list(EventSeat.objects.filter(event=event).order_by("pk"))

    made = block(event, seats[:2])

    assert EventSeat.objects.filter(block_id=made, state=SeatState.BLOCKED).count() == 2
    with pytest.raises(PlacesTaken):
        place(terms.of(event.pk), [seats[0].pk])


def test_a_block_takes_all_its_seats_or_none():
    event = opened_event(rows=1, seats_per_row=4)
    seats = list(EventSeat.objects.filter(event=event).order_by("pk"))
    place(terms.of(event.pk), [seats[1].pk])

    with pytest.raises(PlacesTaken) as refusal:
        block(event, seats[:3])

    assert refusal.value.seat_ids == {seats[1].pk}
    assert not Block.objects.exists()
    assert not EventSeat.objects.filter(state=SeatState.BLOCKED).exists()


def test_seats_of_another_event_are_not_blocked():
    event, other = opened_event(rows=1), opened_event(rows=1)
    stranger = EventSeat.objects.filter(event=other).earliest("pk")

    with pytest.raises(PlacesTaken):
        block(event, [stranger])
