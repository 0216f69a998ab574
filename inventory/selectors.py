"""What inventory tells the floors above: frozen values, never rows.

A lapsed lease counts as free here, as it does everywhere, by PostgreSQL's clock.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Sum

from inventory.models import EventSeat, HoldLine, HoldState
from inventory.wishes import PoolWish, SeatWish, Wish
from ticketing.kernel.money import Money
from venues import naming

# Of a hold, that not all of it was cancelled.
HAS_PLACES = """EXISTS (SELECT FROM inventory_holdline AS line
    WHERE line.hold_id = hold.id AND line.places > line.cancelled)"""


@dataclass(frozen=True, slots=True)
class HoldView:
    id: int
    reference: UUID
    event_id: int
    owner: str
    state: HoldState
    fencing_token: int
    created_at: datetime
    expires_at: datetime
    max_expires_at: datetime
    payment_started_at: datetime | None
    booking_fee: Money
    # The presale code that it goes by.
    access_code_id: int | None
    # ACTIVE, and the lease has not lapsed.
    is_live: bool
    # Over, or about to be, because the lease ran out, not because the fan let it go.
    has_expired: bool
    # The database's clock when it was asked: a countdown starts from here, not from the browser.
    asked_at: datetime

    @property
    def is_booked(self) -> bool:
        """Whether its places are sold to its holder."""
        return self.state == HoldState.CONFIRMED


@dataclass(frozen=True, slots=True)
class LineView:
    """One line of a hold, with the words a fan reads; prices are for one ticket."""

    id: int
    seat_id: int | None
    pool_id: int | None
    section_name: str
    row_label: str
    seat_number: str
    zone_id: int
    zone_name: str
    fare_id: int
    fare_name: str
    places: int
    # How many of them one ticket takes.
    admits: int
    price: Money
    fee: Money

    @property
    def tickets(self) -> int:
        return self.places // self.admits

    @property
    def total(self) -> Money:
        return (self.price + self.fee) * self.tickets


@dataclass(frozen=True, slots=True)
class SectionLevel:
    """How full one section is, places of all its zones together."""

    section_id: int
    zone_ids: Sequence[int]
    capacity: int
    free: int


@dataclass(frozen=True, slots=True)
class Occupancy:
    """All places of an event by what became of them; the four add up to the capacity."""

    capacity: int = 0
    free: int = 0
    held: int = 0
    booked: int = 0
    blocked: int = 0


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat of a section as a fan may know it."""

    id: int
    venue_seat_id: int
    x: float
    y: float
    zone_id: int
    is_free: bool
    # Not for general sale, whoever holds it.
    is_blocked: bool
    # Who holds it, if a lease is live; compared with the fan's own, never shown.
    hold_id: int | None


@dataclass(frozen=True, slots=True)
class PoolView:
    id: int
    name: str
    section_id: int | None
    zone_id: int
    capacity: int
    free: int
    # By fare, how many places its cap leaves; fares without a cap are not here.
    caps: Mapping[int, int]

    def free_at(self, fare_id: int) -> int:
        """How many places are free at this fare."""
        return min(self.free, self.caps.get(fare_id, self.free))

    @property
    def zone_ids(self) -> Sequence[int]:
        return [self.zone_id]


def hold(*, reference: UUID, owner: str) -> HoldView | None:
    """The fan's own hold, in whatever state; None if he has no such hold."""
    return _view(reference=reference, owner=owner)


def hold_by_id(hold_id: int) -> HoldView | None:
    return _view(id=hold_id)


def hold_by_reference(reference: UUID) -> HoldView | None:
    """A hold whoever owns it: the door that asks compares the owner."""
    return _view(reference=reference)


def hold_by_key(*, owner: str, key: str) -> HoldView | None:
    """The hold that an owner's wish of this key has made."""
    return _view(owner=owner, idempotency_key=key)


def live_hold(*, event_id: int, names: Iterable[str]) -> HoldView | None:
    """The hold that a fan of these names may continue with at an event."""
    active = HoldState.ACTIVE.value
    found = (_view(event_id=event_id, owner=name, state=active) for name in names)
    return next((hold for hold in found if hold and hold.is_live), None)


# In SQL, as the lines below: it is the answer to every hold that a program asks for, and building
# the statement anew each time cost as much as placing.
VIEW = """
SELECT id, reference, event_id, owner, state, fencing_token, created_at, expires_at,
    max_expires_at, payment_started_at, booking_fee_minor, currency, access_code_id,
    clock_timestamp()
FROM inventory_hold WHERE
"""


def _view(**which: Any) -> HoldView | None:
    where = " AND ".join(f"{name} = %({name})s" for name in which)
    with connection.cursor() as cursor:
        cursor.execute(VIEW + where, which)
        row = cursor.fetchone()
    if row is None:
        return None
    hold_id, reference, event_id, owner, state, token, created, expires, *rest = row
    most, payment, fee, currency, code, asked = rest
    lapsed = state == HoldState.ACTIVE and expires <= asked
    return HoldView(
        id=hold_id,
        reference=reference,
        event_id=event_id,
        owner=owner,
        state=HoldState(state),
        fencing_token=token,
        created_at=created,
        expires_at=expires,
        max_expires_at=most,
        payment_started_at=payment,
        booking_fee=Money(fee, currency),
        access_code_id=code,
        is_live=state == HoldState.ACTIVE and not lapsed,
        has_expired=state == HoldState.EXPIRED or lapsed,
        asked_at=asked,
    )


def places_of(hold_id: int) -> int:
    """How many places a hold has."""
    found = HoldLine.objects.filter(hold_id=hold_id).aggregate(places=Sum("places"))
    return found["places"] or 0


def uses_of_codes(code_ids: Collection[int]) -> dict[int, int]:
    """By presale code, the live holds and the bookings that go by it; without those of none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT access_code_id, count(*) FROM inventory_hold AS hold"  # noqa: S608
            " WHERE access_code_id = ANY(%s)"
            " AND (state = 'confirmed' OR state = 'active' AND expires_at > clock_timestamp())"
            f" AND {HAS_PLACES} GROUP BY access_code_id",
            [list(code_ids)],
        )
        return dict(cursor.fetchall())


LINES = """
SELECT line.id, line.seat_id, line.pool_id, coalesce(section.name, pool.name),
    coalesce(place_row.label, ''), coalesce(place.number, ''), zone.id, zone.name, fare.id,
    fare.name, line.places, line.admits, line.price_minor, line.fee_minor, hold.currency
FROM inventory_holdline AS line
JOIN inventory_hold AS hold ON hold.id = line.hold_id
JOIN events_pricezone AS zone ON zone.id = line.zone_id
JOIN events_fare AS fare ON fare.id = line.fare_id
LEFT JOIN inventory_admissionpool AS pool ON pool.id = line.pool_id
LEFT JOIN inventory_eventseat AS seat ON seat.id = line.seat_id
LEFT JOIN venues_section AS section ON section.id = seat.section_id
LEFT JOIN venues_seat AS place ON place.id = seat.seat_id
LEFT JOIN venues_row AS place_row ON place_row.id = place.row_id
WHERE line.hold_id = %s ORDER BY place.index, line.pool_id, fare.rank
"""


def lines(hold_id: int) -> list[LineView]:
    """The lines of a hold, in the order of the hall."""
    with connection.cursor() as cursor:
        cursor.execute(LINES, [hold_id])
        return [
            LineView(*[*told, Money(price, currency), Money(fee, currency)])
            for *told, price, fee, currency in cursor.fetchall()
        ]


def seat_ids(hold_id: int) -> list[int]:
    """The seats that a hold owns now."""
    return list(
        EventSeat.objects.filter(hold_id=hold_id).order_by("pk").values_list("pk", flat=True)
    )


def selling_events() -> list[int]:
    """The events that somebody may hold seats of now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM events_event WHERE opened_at IS NOT NULL AND state = 'published'"
            " AND EXISTS (SELECT FROM events_onsale WHERE event_id = events_event.id"
            "   AND opens_at <= clock_timestamp() AND closes_at > clock_timestamp())"
        )
        return [event_id for (event_id,) in cursor.fetchall()]


def seat_labels(seat_ids: Collection[int]) -> dict[int, str]:
    """These seats as a fan calls them, in the order of the hall."""
    rows = (
        EventSeat.objects.filter(pk__in=seat_ids)
        .order_by("seat__index")
        .values_list("pk", "seat__row__label", "seat__number")
    )
    return {pk: naming.seat_name(row, number) for pk, row, number in rows}


def wish_of(
    hold_id: int,
    *,
    but_section: str = "",
    but_pool: int = 0,
    but_line: int = 0,
) -> Wish:
    """The wish that this hold granted, so that the very same places can be asked for again.

    Without the seats of a section, the places of a pool, or one line.
    """
    rows = list(
        HoldLine.objects.filter(hold_id=hold_id)
        .exclude(seat__isnull=False, seat__section__slug=but_section)
        .exclude(pool__isnull=False, pool=but_pool)
        .exclude(pk=but_line)
        .order_by("pk")
    )
    return Wish(
        seats=tuple(SeatWish(row.seat_id, row.fare_id) for row in rows if row.seat_id),
        pools=tuple(PoolWish(row.pool_id, row.places, row.fare_id) for row in rows if row.pool_id),
    )


# A seat is free when nobody has it, or when its lease has lapsed and it returns to everybody.
FREE = """(seat.state = 'available' OR (seat.state = 'held' AND hold.state = 'active'
    AND hold.expires_at <= clock_timestamp() AND hold.returns_to_id IS NULL))"""

# Of a pool, or of a cap, what lapsed holds still count as held.
_LAPSED_PLACES = """coalesce((SELECT sum(line.places) FROM inventory_holdline AS line
    JOIN inventory_hold AS hold ON hold.id = line.hold_id
    WHERE {which} AND hold.state = 'active'
      AND hold.expires_at <= clock_timestamp() AND hold.returns_to_id IS NULL), 0)"""


LAPSED_PLACES = _LAPSED_PLACES.format(which="line.pool_id = pool.id")
LAPSED_AT_CAP = _LAPSED_PLACES.format(
    which="line.pool_id = cap.pool_id AND line.fare_id = cap.fare_id"
)

FREE_AT_CAPS = f"""
SELECT cap.pool_id, cap.fare_id, cap.capacity - cap.held - cap.booked + {LAPSED_AT_CAP}
FROM inventory_farecap AS cap JOIN inventory_admissionpool AS pool ON pool.id = cap.pool_id
WHERE pool.event_id = %s
"""  # noqa: S608

OCCUPANCY = f"""
SELECT event_id, sum(places), sum(free), sum(places - free - booked - blocked), sum(booked),
    sum(blocked)
FROM (
    SELECT seat.event_id, count(*) AS places, count(*) FILTER (WHERE {FREE}) AS free,
        count(*) FILTER (WHERE seat.state = 'booked') AS booked,
        count(*) FILTER (WHERE seat.state = 'blocked') AS blocked
    FROM inventory_eventseat AS seat LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
    WHERE seat.event_id = ANY(%(events)s) GROUP BY seat.event_id
    UNION ALL
    SELECT event_id, capacity, capacity - held - booked + {LAPSED_PLACES}, booked, 0
    FROM inventory_admissionpool AS pool WHERE event_id = ANY(%(events)s)
) AS counted GROUP BY event_id
"""  # noqa: S608


def levels(event_id: int) -> list[SectionLevel]:
    """How full every seated section is."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seat.section_id, array_agg(DISTINCT seat.zone_id), count(*),"  # noqa: S608
            f" count(*) FILTER (WHERE {FREE})"
            " FROM inventory_eventseat AS seat"
            " LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id"
            " WHERE seat.event_id = %s GROUP BY seat.section_id",
            [event_id],
        )
        return [SectionLevel(*row) for row in cursor.fetchall()]


def occupancy(event_ids: Collection[int]) -> dict[int, Occupancy]:
    """The places of each of these events, seats and pools together."""
    found = dict.fromkeys(event_ids, Occupancy())
    with connection.cursor() as cursor:
        cursor.execute(OCCUPANCY, {"events": list(event_ids)})
        found.update({row[0]: Occupancy(*map(int, row[1:])) for row in cursor.fetchall()})
    return found


def seats(*, event_id: int, section_id: int | None = None) -> list[SeatView]:
    """The seats of one section, or of the whole event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seat.id, place.id, place.x, place.y, seat.zone_id,"  # noqa: S608
            f" {FREE}, seat.state = 'blocked', seat.hold_id"
            " FROM inventory_eventseat AS seat JOIN venues_seat AS place ON place.id = seat.seat_id"
            " LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id"
            " WHERE seat.event_id = %s AND seat.section_id = coalesce(%s, seat.section_id)",
            [event_id, section_id],
        )
        return [SeatView(*row) for row in cursor.fetchall()]


def pools(event_id: int) -> list[PoolView]:
    """The general admission of an event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, name, section_id, zone_id, capacity,"  # noqa: S608
            f" capacity - held - booked + {LAPSED_PLACES}"
            " FROM inventory_admissionpool AS pool WHERE event_id = %s ORDER BY id",
            [event_id],
        )
        rows = cursor.fetchall()
        cursor.execute(FREE_AT_CAPS, [event_id])
        caps: dict[int, dict[int, int]] = {row[0]: {} for row in rows}
        for pool_id, fare_id, free in cursor.fetchall():
            caps[pool_id][fare_id] = free
    return [PoolView(*[*row, caps[row[0]]]) for row in rows]
