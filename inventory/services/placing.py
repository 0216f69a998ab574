"""Placing a hold: all the places of a wish, or none.

`place` is the hottest write of the house, so its statements are few and said in SQL; what they mean
is said beside them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction

from events.terms import Rate, Terms
from inventory.errors import (
    AlreadyHolding,
    HoldEnded,
    LimitReached,
    NoSuchPrice,
    PlacesTaken,
    SaleClosed,
    UnknownPlaces,
)
from inventory.models import AdmissionPool, HoldState, SeatState
from inventory.services import holds, locks
from inventory.wishes import Wish
from ticketing.kernel import constraints
from ticketing.kernel.idempotency import KeyReused

# How many lapsed holds one fan clears away when a pool looks full.
SWEEP = 200


@dataclass(frozen=True, slots=True)
class Placed:
    """The fan's hold, new or as it stood when the same key came again."""

    hold_id: int
    reference: UUID
    fencing_token: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Line:
    """One line to be written, its price frozen."""

    seat_id: int | None
    pool_id: int | None
    zone_id: int
    fare_id: int
    places: int
    rate: Rate


def place(*, terms: Terms, owner: str, key: str, wish: Wish, at: datetime | None = None) -> Placed:
    """Hold every place of `wish` for `owner`, or none.

    The same key with the same wish is answered with the same hold, also in parallel. Raises a
    BadWish, SaleClosed, LimitReached, AlreadyHolding, HoldEnded, KeyReused or PlacesTaken; then
    nothing has changed.
    """
    wish.check()
    if wish.places > terms.limit_per_fan:
        raise LimitReached(limit=terms.limit_per_fan, owned=0, asked=wish.places)
    try:
        try:
            return _attempt(terms, owner, key, wish, at, clear_pools=False)
        except PlacesTaken as refusal:
            if not refusal.pool_ids:
                raise
        # The pool may be full of lapsed holds, and those are free by definition.
        return _attempt(terms, owner, key, wish, at, clear_pools=True)
    except IntegrityError as error:
        # The key is in flight at another event, where this fan is not locked.
        if constraints.violated_by(error) == "inventory_one_hold_per_owner_and_key":
            raise KeyReused(key) from error
        raise


def _attempt(
    terms: Terms, owner: str, key: str, wish: Wish, at: datetime | None, *, clear_pools: bool
) -> Placed:
    fingerprint = wish.fingerprint(terms.event_id)
    with transaction.atomic(durable=True):
        locks.fan(event_id=terms.event_id, owner=owner)
        mine = _holds_of(terms.event_id, owner, key)
        known = next((hold for hold in mine if hold.key == key), None)
        if known:
            return _answer(known, fingerprint, at)
        _check_limit(terms, wish, mine)
        active = next((hold for hold in mine if hold.state == HoldState.ACTIVE), None)

        suspects = _lapsed_owners(wish, at, clear_pools=clear_pools)
        if active:
            suspects.add(active.id)
        locked = locks.holds(sorted(suspects))
        rows = locks.seats(
            event_id=terms.event_id, seat_ids=wish.seat_ids, of_holds=[h.id for h in locked]
        )
        if locked and wish.pools:
            # Ending holds locks their pools: here, in one order with those that are wanted.
            locks.pools_of([hold.id for hold in locked], and_these=wish.pool_ids)
        now = at or locks.clock()

        lapsed = {h.id: h for h in locked if h.state == HoldState.ACTIVE and h.expires_at <= now}
        if active and active.id not in lapsed and _is_active(active.id, locked):
            raise AlreadyHolding(active.reference)
        if not terms.is_open(now):
            raise SaleClosed(min((o for o, _ in terms.windows if o > now), default=None))
        wanted = [row for row in rows if row.id in set(wish.seat_ids)]
        _check_free(wish, wanted, lapsed)

        if lapsed:
            holds.end(sorted(lapsed), HoldState.EXPIRED, now)
        lines = _priced(terms, wish, wanted)
        placed = _write(
            terms=terms, owner=owner, key=key, fingerprint=fingerprint, lines=lines, now=now
        )
        _take_pool_places(terms.event_id, wish)
        return placed


@dataclass(frozen=True, slots=True)
class _Mine:
    id: int
    reference: UUID
    state: str
    key: str
    fingerprint: str
    fencing_token: int
    expires_at: datetime


def _holds_of(event_id: int, owner: str, key: str) -> list[_Mine]:
    """The fan's hold of this key, wherever it is, and his active and sold ones at this event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, reference, state, idempotency_key, fingerprint, fencing_token, expires_at"
            " FROM inventory_hold WHERE owner = %s AND (idempotency_key = %s"
            " OR event_id = %s AND state IN ('active', 'confirmed'))",
            [owner, key, event_id],
        )
        return [_Mine(*row) for row in cursor.fetchall()]


def _answer(known: _Mine, fingerprint: str, at: datetime | None) -> Placed:
    """Asking twice is asking once."""
    if known.fingerprint != fingerprint:
        raise KeyReused(known.key)
    if known.state != HoldState.ACTIVE or known.expires_at <= (at or locks.clock()):
        raise HoldEnded(known.reference)
    return Placed(known.id, known.reference, known.fencing_token, known.expires_at)


def _check_limit(terms: Terms, wish: Wish, mine: Sequence[_Mine]) -> None:
    sold = [hold.id for hold in mine if hold.state == HoldState.CONFIRMED]
    if not sold:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM inventory_eventseat WHERE hold_id = ANY(%s))"
            " + (SELECT coalesce(sum(places), 0) FROM inventory_holdline"
            "    WHERE hold_id = ANY(%s) AND pool_id IS NOT NULL)",
            [sold, sold],
        )
        owned = int(cursor.fetchone()[0])
    if owned + wish.places > terms.limit_per_fan:
        raise LimitReached(limit=terms.limit_per_fan, owned=owned, asked=wish.places)


def _lapsed_owners(wish: Wish, at: datetime | None, *, clear_pools: bool) -> set[int]:
    """Holds that seem lapsed and own wanted seats or, if asked, places of a wanted pool.

    Only a suspicion: they are judged again when they are locked.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT hold.id FROM inventory_eventseat AS seat"
            " JOIN inventory_hold AS hold ON hold.id = seat.hold_id WHERE seat.id = ANY(%s)"
            " AND hold.state = 'active' AND hold.expires_at <= coalesce(%s, clock_timestamp())"
            " AND hold.returns_to_id IS NULL",
            [wish.seat_ids, at],
        )
        found = {hold_id for (hold_id,) in cursor.fetchall()}
        if clear_pools:
            cursor.execute(
                "SELECT hold.id FROM inventory_hold AS hold WHERE hold.state = 'active'"
                " AND hold.expires_at <= coalesce(%s, clock_timestamp())"
                " AND hold.returns_to_id IS NULL AND EXISTS (SELECT FROM inventory_holdline"
                "   WHERE hold_id = hold.id AND pool_id = ANY(%s))"
                " ORDER BY hold.expires_at LIMIT %s",
                [at, wish.pool_ids, SWEEP],
            )
            found |= {hold_id for (hold_id,) in cursor.fetchall()}
    return found


def _is_active(hold_id: int, locked: Iterable[locks.LockedHold]) -> bool:
    return any(hold.id == hold_id and hold.state == HoldState.ACTIVE for hold in locked)


def _check_free(
    wish: Wish, wanted: Sequence[locks.LockedSeat], lapsed: dict[int, locks.LockedHold]
) -> None:
    missing = set(wish.seat_ids) - {row.id for row in wanted}
    if missing:
        raise UnknownPlaces(seat_ids=missing)
    taken = [
        row.id
        for row in wanted
        if row.state != SeatState.AVAILABLE
        and not (row.state == SeatState.HELD and row.hold_id in lapsed)
    ]
    if taken:
        raise PlacesTaken(seat_ids=taken)


def _priced(terms: Terms, wish: Wish, wanted: Sequence[locks.LockedSeat]) -> list[Line]:
    zones = {row.id: row.zone_id for row in wanted}
    pools = _zones_of_pools(terms.event_id, wish)
    lines = [_line(terms, zones[w.seat_id], w.fare_id, seat_id=w.seat_id) for w in wish.seats]
    lines += [
        _line(terms, pools[w.pool_id], w.fare_id, pool_id=w.pool_id, places=w.places)
        for w in wish.pools
    ]
    return lines


def _line(
    terms: Terms,
    zone_id: int,
    fare_id: int | None,
    *,
    seat_id: int | None = None,
    pool_id: int | None = None,
    places: int = 1,
) -> Line:
    fare = fare_id if fare_id is not None else terms.first_fare_id
    rate = terms.rates.get((zone_id, fare)) if fare is not None else None
    if fare is None or rate is None:
        raise NoSuchPrice(zone_id=zone_id, fare_id=fare)
    return Line(seat_id, pool_id, zone_id, fare, places, rate)


def _zones_of_pools(event_id: int, wish: Wish) -> dict[int, int]:
    if not wish.pools:
        return {}
    pools = AdmissionPool.objects.filter(event_id=event_id, pk__in=wish.pool_ids)
    zones = dict(pools.values_list("pk", "zone_id"))
    missing = set(wish.pool_ids) - zones.keys()
    if missing:
        raise UnknownPlaces(pool_ids=missing)
    return zones


# One statement: the token is drawn here, after the locks; the hold and its lines are written with
# it, and those of the seats that are free move to it. The last column says how many moved.
WRITE = """
WITH hold AS (
    INSERT INTO inventory_hold (reference, event_id, owner, state, fencing_token, idempotency_key,
        fingerprint, created_at, expires_at, max_expires_at, currency, booking_fee_minor)
    VALUES (%(reference)s, %(event)s, %(owner)s, 'active', nextval('inventory_fencing_token'),
        %(key)s, %(fingerprint)s, %(now)s, %(expires)s, %(max)s, %(currency)s, %(fee)s)
    RETURNING id, fencing_token
), line AS (
    INSERT INTO inventory_holdline (hold_id, seat_id, pool_id, zone_id, fare_id, places,
        price_minor, fee_minor)
    SELECT hold.id, l.* FROM hold, unnest(%(seats)s::bigint[], %(pools)s::bigint[],
        %(zones)s::bigint[], %(fares)s::bigint[], %(places)s::int[], %(prices)s::bigint[],
        %(fees)s::bigint[]) AS l
), seat AS (
    UPDATE inventory_eventseat AS seat
    SET state = 'held', hold_id = hold.id, fencing_token = hold.fencing_token
    FROM hold WHERE seat.id = ANY(%(seats)s) AND seat.state = 'available'
    RETURNING seat.id
)
SELECT id, fencing_token, (SELECT count(*) FROM seat) FROM hold
"""


def _write(
    *, terms: Terms, owner: str, key: str, fingerprint: str, lines: Sequence[Line], now: datetime
) -> Placed:
    reference, expires_at = uuid4(), now + terms.lease
    values: dict[str, Any] = {
        "reference": reference,
        "event": terms.event_id,
        "owner": owner,
        "key": key,
        "fingerprint": fingerprint,
        "now": now,
        "expires": expires_at,
        "max": now + terms.max_lease,
        "currency": terms.currency,
        "fee": terms.booking_fee.minor,
        "seats": [line.seat_id for line in lines],
        "pools": [line.pool_id for line in lines],
        "zones": [line.zone_id for line in lines],
        "fares": [line.fare_id for line in lines],
        "places": [line.places for line in lines],
        "prices": [line.rate.price_minor for line in lines],
        "fees": [line.rate.fee_minor for line in lines],
    }
    with connection.cursor() as cursor:
        cursor.execute(WRITE, values)
        hold_id, token, moved = cursor.fetchone()
    seat_ids = [line.seat_id for line in lines if line.seat_id is not None]
    if moved != len(seat_ids):
        raise PlacesTaken(seat_ids=seat_ids)
    return Placed(hold_id, reference, token, expires_at)


def _take_pool_places(event_id: int, wish: Wish) -> None:
    """In order of pk, each by a conditional UPDATE: the database counts, nobody reads first."""
    for pool_id in wish.pool_ids:
        places = sum(w.places for w in wish.pools if w.pool_id == pool_id)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE inventory_admissionpool SET held = held + %s WHERE id = %s"
                " AND event_id = %s AND held + booked + %s <= capacity",
                [places, pool_id, event_id, places],
            )
            if not cursor.rowcount:
                raise PlacesTaken(pool_ids=[pool_id])
