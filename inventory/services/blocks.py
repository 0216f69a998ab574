"""Seats that the organizer keeps from general sale, and who said so.

A lapsed hold in the way is expired whole first, in the one order of locks, as placing does.
"""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models.expressions import RawSQL

from inventory import standing
from inventory.errors import EmptyWish, NotBlocked, NotFree
from inventory.models import (
    Block,
    BlockChange,
    BlockKind,
    BlockVerb,
    EventSeat,
    HoldState,
    SeatState,
)
from inventory.services import holds, locks
from inventory.standing import Standing
from ticketing.kernel import transactions
from ticketing.kernel.acting import ITSELF, Actor
from ticketing.kernel.states import StatefulQuerySet

HOUSE = BlockKind.HOUSE


def block(
    *,
    event_id: int,
    seat_ids: Collection[int],
    kind: BlockKind,
    reason: str,
    by: Actor = ITSELF,
    at: datetime | None = None,
) -> int:
    """Keep these seats of the event, all or none; returns the block's id.

    Raises EmptyWish, or NotFree with how each of them stands, and keeps nothing.
    """
    if not seat_ids:
        raise EmptyWish
    with transaction.atomic(durable=True):
        found, now = _lock(event_id, seat_ids, at)
        if found.not_free:
            raise NotFree(found)
        made = Block.objects.create(
            event_id=event_id, kind=kind, reason=reason, created_by_id=by.user_id
        )
        free = _seats(found.free).filter(state=SeatState.AVAILABLE)
        # Whoever reads these seats without a lock of ours meets this guard.
        if free.move_to(SeatState.BLOCKED, block=made) != len(found.free):
            raise NotFree(standing.of(event_id=event_id, seat_ids=seat_ids, at=at))
        _write(made.pk, BlockVerb.SET, by=by, why=reason, at=now, seat_ids=found.free)
    return made.pk


def lift(
    *,
    event_id: int,
    seat_ids: Collection[int],
    why: str,
    by: Actor = ITSELF,
    only: int | None = None,
    at: datetime | None = None,
) -> dict[int, int]:
    """Let these blocked seats go on general sale, all or none; how many, by the block they left.

    Raises NotBlocked with those that are in no block, or not in the `only` one, and lifts nothing.
    """
    with transaction.atomic(durable=True):
        found, now = _lock(event_id, seat_ids, at)
        inside = {seat for seat, block in found.blocked.items() if only in {None, block}}
        strangers = set(seat_ids) - inside
        if strangers:
            raise NotBlocked(strangers)
        return _lift(found.blocked, why, by, now)


def lift_block(*, block_id: int, why: str, by: Actor = ITSELF, at: datetime | None = None) -> int:
    """Let all seats that are in the block now go on general sale; returns how many.

    Seats that somebody holds from it, by an offer or at the box office, return to it if he does not
    buy them. Raises Block.DoesNotExist.
    """
    with transaction.atomic(durable=True):
        event_id = Block.objects.values_list("event_id", flat=True).get(pk=block_id)
        found, now = _lock(event_id, standing.seats_of_block(block_id), at)
        here = {seat: block for seat, block in found.blocked.items() if block == block_id}
        return _lift(here, why, by, now).get(block_id, 0)


def edit(*, block_id: int, kind: BlockKind, reason: str, by: Actor, at: datetime) -> bool:
    """Say anew what a block is for; False if that is what it says. Joins the caller's transaction.

    Raises Block.DoesNotExist.
    """
    transactions.require()
    old = Block.objects.select_for_update().get(pk=block_id)
    if (old.kind, old.reason) == (kind, reason):
        return False
    Block.objects.filter(pk=block_id).update(kind=kind, reason=reason)
    now = Block(kind=kind, reason=reason)
    _write(block_id, BlockVerb.EDITED, by=by, why=f"“{old}” became “{now}”", at=at)
    return True


def _lock(
    event_id: int, seat_ids: Collection[int], at: datetime | None
) -> tuple[Standing, datetime]:
    """Lock these seats, and end the lapsed holds in their way; how they stand, and since when."""
    suspects = standing.of(event_id=event_id, seat_ids=seat_ids, at=at).lapsed
    locked = [hold.id for hold in locks.holds(sorted(suspects)) if hold.state == HoldState.ACTIVE]
    locks.seats(event_id=event_id, seat_ids=seat_ids, of_holds=locked)
    locks.pools_of(locked)
    now = at or locks.clock()
    found = standing.of(event_id=event_id, seat_ids=seat_ids, at=now, locked=locked)
    holds.take_over(found.lapsed, now)
    return found, now


def _lift(blocked: dict[int, int], why: str, by: Actor, now: datetime) -> dict[int, int]:
    seats = _seats(blocked).filter(state=SeatState.BLOCKED)
    if seats.move_to(SeatState.AVAILABLE, block=None) != len(blocked):
        raise NotBlocked(blocked)
    for block_id in sorted(set(blocked.values())):
        left = [seat for seat, block in blocked.items() if block == block_id]
        _write(block_id, BlockVerb.LIFTED, by=by, why=why, at=now, seat_ids=left)
    return dict(Counter(blocked.values()))


def _seats(ids: Collection[int]) -> StatefulQuerySet[EventSeat]:
    # As one array: a statement takes no more than 65,535 values, and a stadium has more seats.
    wanted = RawSQL("SELECT unnest(%s::bigint[])", [list(ids)])
    return EventSeat.objects.filter(pk__in=wanted)


def _write(
    block_id: int,
    verb: BlockVerb,
    *,
    by: Actor,
    why: str,
    at: datetime,
    seat_ids: Collection[int] = (),
) -> None:
    BlockChange.objects.create(
        block_id=block_id, verb=verb, why=why, at=at, seat_ids=sorted(seat_ids), **by.fields
    )
