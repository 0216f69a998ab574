"""What a visitor holds becomes his account's when he logs in."""

from django.db import transaction
from django.db.models import Q

from inventory import gate
from inventory.models import EventSeat, Hold, HoldState
from inventory.services import holds, locks
from inventory.services.locks import LockedHold

LIVE = Q(state__in=[HoldState.ACTIVE, HoldState.CONFIRMED])


def join(*, visitor: str, account: str) -> int:
    """Give the account what the visitor holds and bought, key and all; returns how many holds.

    The visitor's name stays beside it. A hold stays the visitor's where the account has a live one
    at the same event, or one of the same key. Events are joined one after the other, so a crash in
    between leaves each hold with either name, and joining again goes on.
    """
    events = Hold.objects.filter(LIVE, owner=visitor).values_list("event_id", flat=True)
    return sum(
        _join(event_id, visitor=visitor, account=account)
        for event_id in events.order_by("event_id").distinct()
    )


def _join(event_id: int, *, visitor: str, account: str) -> int:
    with transaction.atomic(durable=True):
        locks.fan(event_id=event_id, names=[visitor, account])
        both = Hold.objects.filter(LIVE, event_id=event_id, owner__in=[visitor, account])
        locked = locks.holds(list(both.values_list("pk", flat=True)))
        now = locks.clock()
        lapsed = [hold.id for hold in locked if hold.has_lapsed(now)]
        if lapsed:
            # Free by definition; and the account's may not stand in the way of the visitor's.
            holds.end(lapsed, HoldState.EXPIRED, now)
        has_live = any(hold.owner == account and hold.is_live(now) for hold in locked)
        moving = [
            hold
            for hold in locked
            if hold.owner == visitor
            and (hold.state == HoldState.CONFIRMED or (hold.is_live(now) and not has_live))
        ]
        keys = Hold.objects.filter(
            owner=account, idempotency_key__in=[hold.idempotency_key for hold in moving]
        )
        taken = set(keys.values_list("idempotency_key", flat=True))
        moving = [hold for hold in moving if hold.idempotency_key not in taken]
        Hold.objects.filter(pk__in=[hold.id for hold in moving]).update(
            owner=account, creator=visitor
        )
        _rename_at_the_gate(moving, account)
    return len(moving)


def _rename_at_the_gate(moved: list[LockedHold], account: str) -> None:
    seats: dict[int, list[int]] = {hold.id: [] for hold in moved}
    rows = EventSeat.objects.filter(hold__in=seats).values_list("hold_id", "pk")
    for hold_id, seat_id in rows:
        seats[hold_id or 0].append(seat_id)
    gate.clear_on_commit(
        (hold.event_id, hold.owner, hold.idempotency_key, seat)
        for hold in moved
        for seat in seats[hold.id]
    )
    for hold in moved:
        gate.keep_on_commit(
            event_id=hold.event_id,
            owner=account,
            key=hold.idempotency_key,
            seat_ids=seats[hold.id],
            until=None if hold.state == HoldState.CONFIRMED else hold.expires_at,
        )
