"""What a sale of one event goes by: windows, leases, limits, prices and fees, read in one query."""

import math
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from ticketing.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Rate:
    """The price of one ticket and the fees that come with it, in minor units."""

    price_minor: int
    fee_minor: int
    # That one ticket takes.
    places: int = 1


@dataclass(frozen=True, slots=True)
class Access:
    """A presale code that a fan carries: the window it opens, and its own limits."""

    code_id: int
    opens_at: datetime
    closes_at: datetime
    # Live holds and bookings that may go by it at one time, and places of one fan.
    max_holds: int | None
    max_places: int | None

    def is_open(self, at: datetime) -> bool:
        return self.opens_at <= at < self.closes_at


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms for one fan: everybody's, and those of the presale code that he carries."""

    event_id: int
    currency: str
    lease: timedelta
    payment_time: timedelta
    max_lease: timedelta
    limit_per_fan: int
    # Published, opened and not paused; the windows say the rest.
    is_selling: bool
    # Postponed or cancelled: what is held cannot be paid for either.
    is_called_off: bool
    # Public on-sales, each from its opening until just before its close.
    windows: tuple[tuple[datetime, datetime], ...]
    # By zone and fare.
    rates: dict[tuple[int, int], Rate]
    # What a fan gets who chose none.
    first_fare_id: int | None
    booking_fee: Money
    # Presales likewise: open to those who carry a code of theirs.
    presales: tuple[tuple[datetime, datetime], ...] = ()
    access: Access | None = None

    def is_open(self, at: datetime) -> bool:
        """Whether this fan may buy at this moment."""
        return self.is_selling and (self.is_public(at) or self.access_at(at) is not None)

    def is_public(self, at: datetime) -> bool:
        """Whether the public sale runs at this moment, so that nobody needs a code."""
        return any(opens <= at < closes for opens, closes in self.windows)

    def access_at(self, at: datetime) -> Access | None:
        """The code that a hold goes by at this moment: none while the public sale runs."""
        if self.access is None or self.is_public(at) or not self.access.is_open(at):
            return None
        return self.access

    def limit_at(self, at: datetime) -> int:
        """Places that this fan may have at this moment."""
        access = self.access_at(at)
        own = access.max_places if access else None
        return min(self.limit_per_fan, own) if own else self.limit_per_fan

    def places_of(self, fare_id: int) -> int:
        """How many places one ticket of this fare takes; 1 for a fare that is not sold."""
        return next((r.places for (_, fare), r in self.rates.items() if fare == fare_id), 1)

    def needs_code(self, at: datetime) -> bool:
        """Whether a code is all that this fan is missing at this moment."""
        presale = any(opens <= at < closes for opens, closes in self.presales)
        return self.is_selling and presale and not self.is_open(at)


class NoSuchEvent(LookupError):
    pass


# One statement, since every hold begins with it.
TERMS = """
SELECT e.id, currency, lease_seconds, payment_seconds, max_lease_seconds, limit_per_fan,
       state = 'published' AND opened_at IS NOT NULL AND NOT is_paused,
       state IN ('postponed', 'cancelled'),
       sales.ids, sales.publics, sales.opens, sales.closes,
       {code},
       ARRAY(SELECT ARRAY[p.zone_id, p.fare_id, p.amount_minor, f.places]
             FROM events_price p JOIN events_pricezone z ON z.id = p.zone_id
             JOIN events_fare f ON f.id = p.fare_id
             WHERE z.event_id = e.id),
       (SELECT coalesce(sum(amount_minor) FILTER (WHERE kind = 'ticket'), 0)
        FROM events_fee WHERE event_id = e.id),
       (SELECT coalesce(sum(amount_minor) FILTER (WHERE kind = 'booking'), 0)
        FROM events_fee WHERE event_id = e.id),
       (SELECT id FROM events_fare WHERE event_id = e.id ORDER BY rank LIMIT 1)
FROM events_event e, LATERAL (
    SELECT coalesce(array_agg(id), '{{}}') AS ids,
        coalesce(array_agg(kind = 'public'), '{{}}') AS publics,
        coalesce(array_agg(opens_at), '{{}}') AS opens,
        coalesce(array_agg(closes_at), '{{}}') AS closes
    FROM (SELECT * FROM events_onsale WHERE event_id = e.id ORDER BY id) AS sale
) AS sales WHERE
"""
# Hardly anybody carries one: who does not, does not pay for the question.
NO_CODE = "NULL::bigint[]"
CODE = """
(SELECT ARRAY[code.on_sale_id, code.id, code.max_holds, code.max_places]
 FROM events_accesscode code JOIN events_onsale sale ON sale.id = code.on_sale_id
 WHERE code.id = %s AND sale.event_id = e.id AND sale.kind = 'presale')
"""


def of(event_id: int, *, access: int | None = None) -> Terms:
    """The terms as they stand now, or NoSuchEvent; `access` is the code that the fan carries."""
    return _read("e.id = %s", event_id, access)


def of_slug(slug: str, *, access: int | None = None) -> Terms:
    """The terms of the event at this address, as they stand now, or NoSuchEvent."""
    return _read("slug = %s", slug, access)


def recent(slug: str) -> Terms:
    """The terms of the event at this address, a moment old at most, for a fan without a code.

    From this process's memory: a crowd asks for one event's terms hundreds of times a second. An
    organizer's change, or a pause, counts after `TERMS_SECONDS` at the latest; when a sale opens
    and closes does not wait for that, since it is in the terms. Raises NoSuchEvent.
    """
    now = time.monotonic()
    read_at, terms = _recent.get(slug, (-math.inf, None))
    if terms is None or now - read_at >= settings.TERMS_SECONDS:
        terms = of_slug(slug)
        if len(_recent) >= MOST_RECENT:
            _recent.clear()
        _recent[slug] = now, terms
    return terms


MOST_RECENT = 1000
_recent: dict[str, tuple[float, Terms]] = {}


def _read(which: str, event: int | str, access: int | None) -> Terms:
    statement = TERMS.format(code=NO_CODE if access is None else CODE) + which
    with connection.cursor() as cursor:
        cursor.execute(statement, [event] if access is None else [access, event])
        row = cursor.fetchone()
    if row is None:
        raise NoSuchEvent(event)
    event_id, currency, lease, payment, max_lease, limit, is_selling, is_called_off, *sale = row
    ids, publics, opens, closes, code, prices, ticket_fee, booking_fee, first_fare_id = sale
    times = list(zip(opens, closes, strict=True))
    return Terms(
        event_id=event_id,
        currency=currency,
        lease=timedelta(seconds=lease),
        payment_time=timedelta(seconds=payment),
        max_lease=timedelta(seconds=max_lease),
        limit_per_fan=limit,
        is_selling=is_selling,
        is_called_off=is_called_off,
        windows=tuple(window for window, public in zip(times, publics, strict=True) if public),
        rates={
            (zone, fare): Rate(amount, int(ticket_fee), places)
            for zone, fare, amount, places in prices
        },
        first_fare_id=first_fare_id,
        booking_fee=Money(int(booking_fee), currency),
        presales=tuple(window for window, public in zip(times, publics, strict=True) if not public),
        access=_access(code, dict(zip(ids, times, strict=True))) if code else None,
    )


def _access(code: list[int], windows: dict[int, tuple[datetime, datetime]]) -> Access:
    on_sale_id, code_id, max_holds, max_places = code
    opens_at, closes_at = windows[on_sale_id]
    return Access(code_id, opens_at, closes_at, max_holds, max_places)
