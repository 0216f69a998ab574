"""Seats that the organizer keeps from general sale."""

from collections.abc import Collection

from django.db import transaction

from inventory.errors import PlacesTaken
from inventory.models import Block, BlockKind, EventSeat, SeatState
from inventory.services import locks

HOUSE = BlockKind.HOUSE


def block(*, event_id: int, seat_ids: Collection[int], kind: BlockKind, reason: str) -> int:
    """Keep these seats of the event, all or none; returns the block's id.

    Raises PlacesTaken with those that are not free, and keeps nothing.
    """
    with transaction.atomic(durable=True):
        locked = locks.seats(event_id=event_id, seat_ids=seat_ids, of_holds=())
        free = {seat.id for seat in locked if seat.state == SeatState.AVAILABLE}
        if free != set(seat_ids):
            raise PlacesTaken(seat_ids=set(seat_ids) - free)
        made = Block.objects.create(event_id=event_id, kind=kind, reason=reason)
        EventSeat.objects.filter(pk__in=free).move_to(SeatState.BLOCKED, block=made)
    return made.pk
