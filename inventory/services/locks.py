"""Who locks what, in the one order: the fan → holds by pk → seats by pk → pools by pk → the code.

A fan who logged in may have two names: both are locked, in the order of the alphabet.

Every function here joins the caller's transaction and is the only place that waits for its kind of
lock; the sweep of lapsed holds waits for none. The clock is read by the caller afterwards, so that
a lease is judged as it is when the locks are held and not as it was when somebody began to wait for
them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from inventory.models import AdmissionPool, EventSeat, Hold, HoldLine, HoldState
from ticketing.kernel import transactions


@dataclass(frozen=True, slots=True)
class LockedHold:
    id: int
    reference: UUID
    event_id: int
    owner: str
    idempotency_key: str
    state: str
    fencing_token: int
    expires_at: datetime
    max_expires_at: datetime
    payment_started_at: datetime | None
    returns_to_id: int | None
    currency: str

    def has_lapsed(self, at: datetime) -> bool:
        """Whether it is active and its lease is over, so that its places are free."""
        return self.state == HoldState.ACTIVE and self.expires_at <= at

    def is_live(self, at: datetime) -> bool:
        return self.state == HoldState.ACTIVE and self.expires_at > at


@dataclass(frozen=True, slots=True)
class LockedSeat:
    id: int
    state: str
    hold_id: int | None
    block_id: int | None
    zone_id: int
    # PostgreSQL's clock after this lock was taken; that of the last seat is after all of them.
    at: datetime


# Written out, since every hold waits here. The rows are sorted, then locked in that order, and only
# then does the clock stand beside each.
SEATS = """
SELECT id, state, hold_id, block_id, zone_id, clock_timestamp() FROM (
    SELECT id, state, hold_id, block_id, zone_id FROM inventory_eventseat
    WHERE event_id = %(event)s AND {which} ORDER BY id FOR UPDATE
) AS locked
"""


def fan(*, event_id: int, names: Collection[str]) -> None:
    """Let one fan do one thing at a time at one event, so that his limit can be counted.

    `names` are all that he has: a visitor's, an account's.
    """
    for name in sorted(set(names)):
        _advisory(f"fan:{event_id}:{name}")


def access_code(code_id: int) -> None:
    """Let the holds that go by one presale code be counted one after the other: the last lock."""
    _advisory(f"access code:{code_id}")


def _advisory(name: str) -> None:
    transactions.require()
    with connection.cursor() as cursor:
        # Two names with one hash only wait for each other.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def holds(hold_ids: Collection[int]) -> list[LockedHold]:
    transactions.require()
    if not hold_ids:
        return []
    rows = (
        Hold.objects.filter(pk__in=hold_ids).order_by("pk").select_for_update(of=("self",))
    ).values_list(*LockedHold.__dataclass_fields__)
    return [LockedHold(*row) for row in rows]


def seats(
    *, event_id: int, seat_ids: Collection[int], of_holds: Collection[int]
) -> list[LockedSeat]:
    """Lock these seats of the event, and all seats that these holds own."""
    transactions.require()
    which = "id = ANY(%(seats)s)"
    if of_holds:
        which = "(id = ANY(%(seats)s) OR hold_id = ANY(%(holds)s))"
    values: dict[str, Any] = {
        "event": event_id,
        "seats": list(seat_ids),
        "holds": list(of_holds),
    }
    with connection.cursor() as cursor:
        cursor.execute(SEATS.format(which=which), values)
        return [LockedSeat(*row) for row in cursor.fetchall()]


def seats_of(hold_ids: Collection[int]) -> list[int]:
    """Lock all seats that these holds own."""
    transactions.require()
    rows = EventSeat.objects.filter(hold_id__in=hold_ids).order_by("pk")
    return list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))


def pools_of(hold_ids: Collection[int], *, and_these: Collection[int] = ()) -> list[int]:
    """Lock the pools that these holds have places of, and these."""
    transactions.require()
    lines = HoldLine.objects.filter(hold_id__in=hold_ids, pool__isnull=False)
    which = Q(pk__in=lines.values("pool"))
    if and_these:
        which |= Q(pk__in=and_these)
    rows = AdmissionPool.objects.filter(which).order_by("pk")
    return list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))


def clock() -> datetime:
    """PostgreSQL's clock at this moment, not at the start of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
