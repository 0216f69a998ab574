"""Who may have which places: looking, locking, and judging what was locked.

Placing and changing a hold go through `judge`, which is the one place that decides whether a place
is free. Every function joins the caller's transaction.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from events.terms import Terms
from inventory import metrics
from inventory.errors import (
    AccessNeeded,
    AlreadyHolding,
    LimitReached,
    PlacesTaken,
    SaleClosed,
    UnknownPlaces,
)
from inventory.models import HoldState, SeatState
from inventory.services import locks
from inventory.wishes import Wish

# How many lapsed holds one fan clears away when a pool looks full.
SWEEP = 200


@dataclass(frozen=True, slots=True)
class Ask:
    """Who asks for which places of an event, and by which channel."""

    terms: Terms
    owner: str
    key: str
    wish: Wish
    # The block that an offer or a box office sells from; None is the general sale.
    channel: int | None
    # A test's own clock instead of PostgreSQL's.
    at: datetime | None
    # Another name of the fan, who had one before he logged in: he may hold something under both.
    also: str | None = None

    @property
    def names(self) -> list[str]:
        return [self.owner, self.also] if self.also else [self.owner]

    @property
    def event_id(self) -> int:
        return self.terms.event_id


@dataclass(frozen=True, slots=True)
class Known:
    """A hold as it was seen before any lock but the fan's own."""

    id: int
    reference: UUID
    owner: str
    state: str
    key: str
    fingerprint: str
    fencing_token: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen before any hold was locked."""

    # The fan's own holds of this key or at this event.
    mine: Sequence[Known]
    # Holds, the fan's own and others', that have to be locked before the seats: they seem to have
    # lapsed on wanted seats, or the fan has them still.
    suspects: Collection[int]

    def known(self, key: str) -> Known | None:
        """The fan's hold of this key, whatever became of it."""
        return next((hold for hold in self.mine if hold.key == key), None)


@dataclass(frozen=True, slots=True)
class Locked:
    """Holds, seats and pools as nobody else can change them now, and the clock after that."""

    holds: Mapping[int, locks.LockedHold]
    seats: Sequence[locks.LockedSeat]
    at: datetime


@dataclass(frozen=True, slots=True)
class Judged:
    """All wanted seats are this fan's to have, once the lapsed holds are ended."""

    locked: Locked
    wanted: Sequence[locks.LockedSeat]
    lapsed: Sequence[int]

    @property
    def now(self) -> datetime:
        return self.locked.at

    @property
    def zones(self) -> dict[int, int]:
        """The price zone of each wanted seat."""
        return {seat.id: seat.zone_id for seat in self.wanted}


# The fan's hold of this key, wherever it is; his active and sold ones at this event; and whoever
# seems to own wanted seats on a lapsed lease, which is only a suspicion until it is locked. Their
# holds are found by the seats, never the seats by all holds there are: the array insists on it.
LOOK = """
SELECT id, reference, owner, state, idempotency_key, fingerprint, fencing_token, expires_at
FROM inventory_hold WHERE owner = ANY(%(names)s) AND (idempotency_key = %(key)s
    OR event_id = %(event)s AND state IN ('active', 'confirmed'))
UNION
SELECT id, reference, owner, state, idempotency_key, fingerprint, fencing_token, expires_at
FROM inventory_hold
WHERE id = ANY(ARRAY(SELECT hold_id FROM inventory_eventseat WHERE id = ANY(%(seats)s)))
    AND state = 'active' AND expires_at <= coalesce(%(at)s, clock_timestamp())
    AND returns_to_id IS NOT DISTINCT FROM %(channel)s
"""


def look(ask: Ask) -> Look:
    """Lock the fan, then look at holds without locking them."""
    locks.fan(event_id=ask.event_id, names=ask.names)
    with connection.cursor() as cursor:
        cursor.execute(LOOK, _values(ask))
        found = [Known(*row) for row in cursor.fetchall()]
    mine = [hold for hold in found if hold.owner in ask.names]
    over = {hold.id for hold in mine if hold.state != HoldState.ACTIVE}
    return Look(mine, {hold.id for hold in found} - over)


def _values(ask: Ask) -> dict[str, Any]:
    return {
        "names": ask.names,
        "key": ask.key,
        "event": ask.event_id,
        "seats": ask.wish.seat_ids,
        "channel": ask.channel,
        "at": ask.at,
    }


_LAPSED = """
(SELECT hold.id FROM inventory_hold AS hold WHERE hold.state = 'active'
 AND hold.expires_at <= coalesce(%(at)s, clock_timestamp())
 AND hold.returns_to_id IS NOT DISTINCT FROM %(channel)s AND EXISTS (
    SELECT FROM inventory_holdline WHERE hold_id = hold.id AND pool_id = ANY(%(pools)s){fare})
 ORDER BY hold.expires_at LIMIT %(sweep)s)
"""
LAPSED_IN_POOLS = (
    _LAPSED.format(fare="") + "UNION" + _LAPSED.format(fare=" AND fare_id = ANY(%(fares)s)")
)


def lapsed_by_code(ask: Ask) -> set[int]:
    """Holds that seem to have lapsed and go by the presale code that the fan carries."""
    if ask.terms.access is None:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM inventory_hold WHERE access_code_id = %s AND state = 'active'"
            " AND expires_at <= coalesce(%s, clock_timestamp()) ORDER BY expires_at LIMIT %s",
            [ask.terms.access.code_id, ask.at, SWEEP],
        )
        return {hold_id for (hold_id,) in cursor.fetchall()}


def lapsed_in_pools(ask: Ask) -> set[int]:
    """Holds that seem to have lapsed with places of the wanted pools, the oldest first.

    And as many that have them at the wanted fares, since one of these may have reached its cap.
    """
    if not ask.wish.pools:
        return set()
    first = ask.terms.first_fare_id
    values = _values(ask) | {
        "pools": ask.wish.pool_ids,
        "fares": [pool.fare_id or first for pool in ask.wish.pools],
        "sweep": SWEEP,
    }
    with connection.cursor() as cursor:
        cursor.execute(LAPSED_IN_POOLS, values)
        return {hold_id for (hold_id,) in cursor.fetchall()}


def check_limit(
    ask: Ask, mine: Iterable[Known], judged: Judged, *, kept_by: int | None = None
) -> None:
    """Count what the fan has here and what he asks for now. Raises LimitReached.

    What is locked may have been sold since it was looked at. He has a live hold besides the one
    that is `kept_by` only under another name of his.
    """
    seen: dict[int, Known | locks.LockedHold] = {hold.id: hold for hold in mine}
    seen |= {hold.id: hold for hold in judged.locked.holds.values() if hold.owner in ask.names}
    counted = [
        hold.id
        for hold in seen.values()
        if hold.state == HoldState.CONFIRMED
        or (hold.state == HoldState.ACTIVE and hold.id != kept_by and hold.expires_at > judged.now)
    ]
    owned, limit = _places_of(counted) if counted else 0, ask.terms.limit_at(judged.now)
    if owned + ask.wish.places > limit:
        raise LimitReached(limit=limit, owned=owned, asked=ask.wish.places)


def _places_of(hold_ids: Collection[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(places - cancelled), 0) FROM inventory_holdline"
            " WHERE hold_id = ANY(%s)",
            [list(hold_ids)],
        )
        return int(cursor.fetchone()[0])


@metrics.LOCK_SECONDS.time()
def lock(ask: Ask, hold_ids: Collection[int]) -> Locked:
    """Lock these holds, all their seats and the wanted ones, and their pools and the wanted ones.

    The pools because ending a hold locks them: here it is in one order with those that are wanted.
    Where no hold ends, counting locks them, as late as can be: everybody waits for a hot one.
    """
    found = {hold.id: hold for hold in locks.holds(sorted(hold_ids))}
    wanted = ask.wish.seat_ids
    seats = (
        locks.seats(event_id=ask.event_id, seat_ids=wanted, of_holds=found.keys())
        if wanted or found
        else []
    )
    if found:
        locks.pools_of(found.keys(), and_these=ask.wish.pool_ids)
    if found or not seats:
        return Locked(found, seats, ask.at or locks.clock())
    return Locked(found, seats, ask.at or seats[-1].at)


def judge(ask: Ask, locked: Locked, *, kept_by: int | None = None) -> Judged:
    """Insist that the fan may have all wanted seats.

    Each is free for this channel, or it is `kept_by` a hold that has it already. Raises
    AlreadyHolding, SaleClosed, UnknownPlaces, or PlacesTaken with every seat that is not free.
    """
    now = locked.at
    for hold in locked.holds.values():
        # Who changes a hold may have another under an older name of his; the limit counts both.
        if kept_by is None and hold.owner in ask.names and hold.is_live(now):
            raise AlreadyHolding(hold.reference)
    if not ask.terms.is_open(now):
        refusal = AccessNeeded if ask.terms.needs_code(now) else SaleClosed
        raise refusal(min((opens for opens, _ in ask.terms.windows if opens > now), default=None))
    lapsed = [hold for hold in locked.holds.values() if hold.has_lapsed(now)]
    giving_way = {hold.id for hold in lapsed if hold.returns_to_id == ask.channel}
    wanted = [seat for seat in locked.seats if seat.id in set(ask.wish.seat_ids)]
    _check_free(ask, wanted, giving_way | ({kept_by} if kept_by else set()))
    return Judged(locked, wanted, sorted(hold.id for hold in lapsed))


def _check_free(ask: Ask, wanted: Iterable[locks.LockedSeat], giving_way: Collection[int]) -> None:
    missing = set(ask.wish.seat_ids) - {row.id for row in wanted}
    if missing:
        raise UnknownPlaces(seat_ids=missing)

    def is_free(row: locks.LockedSeat) -> bool:
        if row.state == SeatState.HELD:
            return row.hold_id in giving_way
        if ask.channel is None:
            return row.state == SeatState.AVAILABLE
        return row.state == SeatState.BLOCKED and row.block_id == ask.channel

    taken = [row.id for row in wanted if not is_free(row)]
    if taken:
        raise PlacesTaken(seat_ids=taken)
