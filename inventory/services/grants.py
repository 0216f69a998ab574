"""Granting places to a hold: its lines with their prices frozen, its seats, its pool places.

Every function joins the caller's transaction, in which the places are locked and judged.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from events.terms import Rate, Terms
from inventory.errors import BrokenTickets, NoSuchPrice, PlacesTaken, RepeatedPlaces, UnknownPlaces
from inventory.wishes import PoolWish, SeatWish, Wish
from ticketing.kernel import transactions


@dataclass(frozen=True, slots=True)
class Line:
    """One line to be written, its price frozen."""

    seat_id: int | None
    pool_id: int | None
    zone_id: int
    fare_id: int
    places: int
    rate: Rate


@dataclass(frozen=True, slots=True)
class Granted:
    hold_id: int
    reference: UUID
    fencing_token: int
    expires_at: datetime


def priced(terms: Terms, wish: Wish, zones: Mapping[int, int]) -> list[Line]:
    """The lines of a wish at the prices of now; `zones` is by seat.

    Raises NoSuchPrice, BrokenTickets, UnknownPlaces or RepeatedPlaces.
    """
    pools = _zones_of_pools(terms.event_id, wish)
    seat_lines = [_seat_line(terms, asked, zones[asked.seat_id]) for asked in wish.seats]
    pool_lines = [_pool_line(terms, asked, pools[asked.pool_id]) for asked in wish.pools]
    if len(pool_places(pool_lines)) < len(pool_lines):
        raise RepeatedPlaces("the first fare was asked for by its name as well")
    return seat_lines + pool_lines


def _seat_line(terms: Terms, asked: SeatWish, zone_id: int) -> Line:
    fare_id = _fare(terms, zone_id, asked.fare_id)
    priced = rate(terms, zone_id, fare_id)
    if priced.places != 1:
        raise NoSuchPrice(zone_id=zone_id, fare_id=fare_id)
    return Line(asked.seat_id, None, zone_id, fare_id, 1, priced)


def _pool_line(terms: Terms, asked: PoolWish, zone_id: int) -> Line:
    fare_id = _fare(terms, zone_id, asked.fare_id)
    priced = rate(terms, zone_id, fare_id)
    check_whole(fare_id=fare_id, admits=priced.places, places=asked.places)
    return Line(None, asked.pool_id, zone_id, fare_id, asked.places, priced)


def _fare(terms: Terms, zone_id: int, asked: int | None) -> int:
    fare_id = terms.first_fare_id if asked is None else asked
    if fare_id is None:
        raise NoSuchPrice(zone_id=zone_id, fare_id=None)
    return fare_id


def rate(terms: Terms, zone_id: int, fare_id: int) -> Rate:
    """The price of one ticket of this fare in this zone. Raises NoSuchPrice."""
    found = terms.rates.get((zone_id, fare_id))
    if found is None:
        raise NoSuchPrice(zone_id=zone_id, fare_id=fare_id)
    return found


def check_whole(*, fare_id: int, admits: int, places: int) -> None:
    """Insist that these places are whole tickets of the fare. Raises BrokenTickets."""
    if places % admits:
        raise BrokenTickets(fare_id=fare_id, admits=admits, places=places)


def _zones_of_pools(event_id: int, wish: Wish) -> dict[int, int]:
    if not wish.pools:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, zone_id FROM inventory_admissionpool WHERE event_id = %s AND id = ANY(%s)",
            [event_id, wish.pool_ids],
        )
        zones = dict(cursor.fetchall())
    missing = set(wish.pool_ids) - zones.keys()
    if missing:
        raise UnknownPlaces(pool_ids=missing)
    return zones


# A statement each. The token is drawn here, after the locks, and all of the hold carries it: lines
# are written, and its seats move to it: those that are free for this channel, and those it had.
NEW = """
WITH hold AS (
    INSERT INTO inventory_hold (reference, event_id, owner, state, fencing_token, idempotency_key,
        fingerprint, created_at, expires_at, max_expires_at, returns_to_id, currency,
        booking_fee_minor, access_code_id)
    VALUES (%(reference)s, %(event)s, %(owner)s, 'active', nextval('inventory_fencing_token'),
        %(key)s, %(fingerprint)s, %(now)s, %(expires)s, %(max)s, %(channel)s, %(currency)s, %(fee)s,
        %(access)s)
    RETURNING id, reference, fencing_token, expires_at
), """
CHANGED = """
WITH hold AS (
    UPDATE inventory_hold SET fencing_token = nextval('inventory_fencing_token')
    WHERE id = %(hold)s RETURNING id, reference, fencing_token, expires_at
), """
LINES_AND_SEATS = """line AS (
    INSERT INTO inventory_holdline (hold_id, seat_id, pool_id, zone_id, fare_id, places,
        admits, price_minor, fee_minor)
    SELECT hold.id, l.* FROM hold, unnest(%(seats)s::bigint[], %(pools)s::bigint[],
        %(zones)s::bigint[], %(fares)s::bigint[], %(places)s::int[], %(admits)s::int[],
        %(prices)s::bigint[], %(fees)s::bigint[]) AS l
), seat AS (
    UPDATE inventory_eventseat AS seat
    SET state = 'held', hold_id = hold.id, fencing_token = hold.fencing_token, block_id = NULL
    FROM hold WHERE seat.id = ANY(%(owned)s) AND {guard}
    RETURNING seat.id
)
SELECT id, reference, fencing_token, expires_at, (SELECT count(*) FROM seat) FROM hold
"""
# Whose a seat may be before it is granted. The caller has looked already, under a lock; this is the
# guard that a forgotten lock would meet.
FOR_ALL = "seat.state = 'available'"
FOR_CHANNEL = "seat.state = 'blocked' AND seat.block_id = %(channel)s"
OR_KEPT = "({guard} OR seat.state = 'held' AND seat.hold_id = hold.id)"


def new_hold(
    *,
    terms: Terms,
    owner: str,
    key: str,
    fingerprint: str,
    channel: int | None,
    lines: Sequence[Line],
    now: datetime,
) -> Granted:
    """Write a hold that owns the seats of its lines.

    Raises PlacesTaken if one is not free after all.
    """
    access = terms.access_at(now)
    values: dict[str, Any] = {
        "reference": uuid4(),
        "event": terms.event_id,
        "owner": owner,
        "key": key,
        "fingerprint": fingerprint,
        "now": now,
        "expires": now + terms.lease,
        "max": now + terms.max_lease,
        "currency": terms.currency,
        "fee": terms.booking_fee.minor,
        "access": access.code_id if access else None,
    }
    owned = [line.seat_id for line in lines if line.seat_id is not None]
    return _grant(NEW, values, guard=_guard(channel), channel=channel, lines=lines, owned=owned)


def changed_hold(
    *, hold_id: int, channel: int | None, lines: Sequence[Line], seat_ids: Sequence[int]
) -> Granted:
    """Give a hold a new token and these lines more; exactly `seat_ids` are to carry the token.

    Raises PlacesTaken if one is neither free nor the hold's own after all.
    """
    guard = OR_KEPT.format(guard=_guard(channel))
    values = {"hold": hold_id}
    return _grant(CHANGED, values, guard=guard, channel=channel, lines=lines, owned=seat_ids)


def _guard(channel: int | None) -> str:
    return FOR_ALL if channel is None else FOR_CHANNEL


def _grant(
    head: str,
    values: dict[str, Any],
    *,
    guard: str,
    channel: int | None,
    lines: Sequence[Line],
    owned: Sequence[int],
) -> Granted:
    transactions.require()
    columns: dict[str, Any] = {
        "seats": [line.seat_id for line in lines],
        "pools": [line.pool_id for line in lines],
        "zones": [line.zone_id for line in lines],
        "fares": [line.fare_id for line in lines],
        "places": [line.places for line in lines],
        "admits": [line.rate.places for line in lines],
        "prices": [line.rate.price_minor for line in lines],
        "fees": [line.rate.fee_minor for line in lines],
    }
    statement = head + LINES_AND_SEATS.format(guard=guard)
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, **columns, "channel": channel, "owned": list(owned)})
        *granted, moved = cursor.fetchone()
    if moved != len(owned):
        raise PlacesTaken(seat_ids=owned)
    return Granted(*granted)


def pool_places(lines: Sequence[Line]) -> Counter[tuple[int, int]]:
    """How many places of each pool these lines take, by fare."""
    taken: Counter[tuple[int, int]] = Counter()
    for line in lines:
        if line.pool_id is not None:
            taken[line.pool_id, line.fare_id] += line.places
    return taken
