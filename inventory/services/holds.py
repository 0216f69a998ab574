"""The life of a hold after `placing`: extended, and ended by its own identity in one of three ways.

`extend`, `release` and `expire_batch` own a durable transaction; `start_payment` and `confirm` join
the caller's, since the booking and its fact must commit with them. `at` is PostgreSQL's clock, read
after the locks are taken, unless a test passes its own.
"""

import time
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction

from events.terms import Terms
from inventory import gate, metrics, selectors
from inventory.errors import HoldLost
from inventory.models import EventSeat, Hold, HoldLine, HoldState, SeatState
from inventory.services import counts, locks, returns
from ticketing.kernel import transactions


def extend(*, reference: UUID, owner: str, terms: Terms, at: datetime | None = None) -> datetime:
    """Give a live hold a full lease from now, within its cap; returns when it now ends.

    Raises HoldLost if it is over or has lapsed: a lapsed lease is never revived.
    """
    with transaction.atomic(durable=True):
        hold, now = _lock_live(_id_of(reference, owner), at)
        until = max(hold.expires_at, min(now + terms.lease, hold.max_expires_at))
        _lengthen(hold, until)
    return until


def lock_live(*, reference: UUID, owner: str) -> locks.LockedHold:
    """Lock the fan's own hold and insist that it is live. Joins the caller's transaction.

    Raises HoldLost.
    """
    transactions.require()
    hold, _ = _lock_live(_id_of(reference, owner), None)
    return hold


def start_payment(
    *, hold_id: int, fencing_token: int, terms: Terms, at: datetime | None = None
) -> datetime:
    """Extend a live hold, once, to the event's payment time; returns when it now ends.

    Joins the caller's transaction. A second start changes nothing. Raises HoldLost, also if the
    hold was changed since it carried this token: what it has now was never agreed to.
    """
    transactions.require()
    hold, now = _lock_live(hold_id, at)
    _check_token(hold, fencing_token)
    if hold.payment_started_at:
        return hold.expires_at
    until = max(hold.expires_at, min(now + terms.payment_time, hold.max_expires_at))
    _lengthen(hold, until, payment_started_at=now)
    return until


def release(*, reference: UUID, owner: str, at: datetime | None = None) -> bool:
    """Let the fan's own hold go; False if it was over already."""
    hold_id = _id_of(reference, owner)
    with transaction.atomic(durable=True):
        [hold] = locks.holds([hold_id])
        if hold.state != HoldState.ACTIVE:
            return False
        end([hold_id], HoldState.RELEASED, at or locks.clock())
    metrics.RELEASED.inc()
    return True


def confirm(*, hold_id: int, fencing_token: int, at: datetime | None = None) -> None:
    """Sell the held places to their holder. Joins the caller's transaction.

    Raises HoldLost, and changes nothing, unless the hold is live and carries this token, and every
    one of its seats still does.
    """
    transactions.require()
    hold, now = _lock_live(hold_id, at)
    _check_token(hold, fencing_token)
    locked = locks.seats_of([hold_id])
    seats = EventSeat.objects.filter(hold_id=hold_id, fencing_token=fencing_token)
    sold = seats.move_to(SeatState.BOOKED)
    if sold != _lines_with_a_seat(hold_id):
        raise HoldLost(f"hold {hold_id} does not own all its seats")
    if locks.pools_of([hold_id]):
        counts.book(hold_id)
    if not Hold.objects.filter(pk=hold_id).move_to(HoldState.CONFIRMED, ended_at=now):
        raise HoldLost(f"hold {hold_id} is over")
    _keep_at_the_gate(hold, locked, until=None)
    transaction.on_commit(metrics.CONFIRMED.inc)


def expire_batch(*, limit: int, at: datetime | None = None) -> int:
    """End up to `limit` lapsed holds, skipping those that somebody is working on; returns how many.

    By the hold's identity, never by seat: a seat may already be the next fan's. Any number of
    workers may sweep at once.
    """
    with transaction.atomic(durable=True):
        lapsed = list(
            Hold.objects.filter(state=HoldState.ACTIVE, expires_at__lte=at or locks.clock())
            .order_by("expires_at")
            .select_for_update(skip_locked=True, of=("self",))
            .values_list("pk", flat=True)[:limit]
        )
        if lapsed:
            end(lapsed, HoldState.EXPIRED, at or locks.clock())
    metrics.EXPIRED.inc(len(lapsed))
    return len(lapsed)


def expire_all(
    *,
    batch: int,
    within: timedelta | None = None,
    tell: Callable[[int], object] | None = None,
) -> int:
    """End lapsed holds batch by batch until a sweep finds less than a batch; returns how many.

    It stops early when it has worked for so long: the next sweep goes on. `tell` hears after each
    full batch how many have ended so far.
    """
    ended, began = 0, time.monotonic()
    while True:
        now = expire_batch(limit=batch)
        ended += now
        if now < batch or (within and time.monotonic() - began >= within.total_seconds()):
            return ended
        if tell:
            tell(ended)


def take_over(hold_ids: Collection[int], at: datetime) -> None:
    """End lapsed holds, locked by the caller, that are in the way of somebody else.

    Joins the caller's transaction.
    """
    if hold_ids:
        end(hold_ids, HoldState.EXPIRED, at)
        transaction.on_commit(partial(metrics.TAKEN_OVER.inc, len(hold_ids)))


def end(hold_ids: Collection[int], state: HoldState, at: datetime) -> None:
    """Move active holds, locked by the caller, to RELEASED or EXPIRED and give back their places.

    `returns` says where they go.
    """
    transactions.require()
    # First: who comes with holds that are over touches neither seats nor counts.
    moved = Hold.objects.filter(pk__in=hold_ids).move_to(state, ended_at=at)
    if moved != len(hold_ids):
        raise HoldLost(f"of holds {sorted(hold_ids)} only {moved} were active")
    locks.seats_of(hold_ids)
    returns.seats(hold_ids=hold_ids, state=SeatState.HELD)
    if locks.pools_of(hold_ids):
        counts.give_back(hold_ids)


def _lengthen(hold: locks.LockedHold, until: datetime, **changes: datetime) -> None:
    Hold.objects.filter(pk=hold.id).update(expires_at=until, **changes)
    _keep_at_the_gate(hold, selectors.seat_ids(hold.id), until=until)


def _keep_at_the_gate(hold: locks.LockedHold, seat_ids: list[int], until: datetime | None) -> None:
    gate.keep_on_commit(
        event_id=hold.event_id,
        owner=hold.owner,
        key=hold.idempotency_key,
        seat_ids=seat_ids,
        until=until,
    )


def _lock_live(hold_id: int, at: datetime | None) -> tuple[locks.LockedHold, datetime]:
    """Lock the hold, then read the clock, then judge the lease."""
    [hold] = locks.holds([hold_id])
    now = at or locks.clock()
    if hold.state != HoldState.ACTIVE or hold.expires_at <= now:
        raise HoldLost(f"hold {hold_id} is over")
    return hold, now


def _check_token(hold: locks.LockedHold, fencing_token: int) -> None:
    if hold.fencing_token != fencing_token:
        raise HoldLost(f"hold {hold.id} carries another token")


def _id_of(reference: UUID, owner: str) -> int:
    hold_id = (
        Hold.objects.filter(reference=reference, owner=owner).values_list("pk", flat=True).first()
    )
    if hold_id is None:
        raise HoldLost("no such hold of this fan")
    return hold_id


def _lines_with_a_seat(hold_id: int) -> int:
    return HoldLine.objects.filter(hold_id=hold_id, seat__isnull=False).count()
