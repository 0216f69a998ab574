"""What a sale of one event goes by: windows, leases, limits, prices and fees, read in one query."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from ticketing.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Rate:
    """The price of one place and the fees that come with it, in minor units."""

    price_minor: int
    fee_minor: int


@dataclass(frozen=True, slots=True)
class Terms:
    event_id: int
    currency: str
    lease: timedelta
    payment_time: timedelta
    max_lease: timedelta
    limit_per_fan: int
    # Published, opened and not paused; the windows say the rest.
    is_selling: bool
    # Public on-sales, each from its opening until just before its close.
    windows: tuple[tuple[datetime, datetime], ...]
    # By zone and fare.
    rates: dict[tuple[int, int], Rate]
    # What a fan gets who chose none.
    first_fare_id: int | None
    booking_fee: Money

    def is_open(self, at: datetime) -> bool:
        """Whether the public may buy at this moment."""
        return self.is_selling and any(opens <= at < closes for opens, closes in self.windows)


class NoSuchEvent(LookupError):
    pass


# One statement, since every hold begins with it.
TERMS = """
SELECT id, currency, lease_seconds, payment_seconds, max_lease_seconds, limit_per_fan,
       state = 'published' AND opened_at IS NOT NULL AND NOT is_paused,
       ARRAY(SELECT opens_at FROM events_onsale WHERE event_id = e.id AND kind = 'public'
             ORDER BY id),
       ARRAY(SELECT closes_at FROM events_onsale WHERE event_id = e.id AND kind = 'public'
             ORDER BY id),
       ARRAY(SELECT ARRAY[p.zone_id, p.fare_id, p.amount_minor]
             FROM events_price p JOIN events_pricezone z ON z.id = p.zone_id
             WHERE z.event_id = e.id),
       (SELECT coalesce(sum(amount_minor) FILTER (WHERE kind = 'ticket'), 0)
        FROM events_fee WHERE event_id = e.id),
       (SELECT coalesce(sum(amount_minor) FILTER (WHERE kind = 'booking'), 0)
        FROM events_fee WHERE event_id = e.id),
       (SELECT id FROM events_fare WHERE event_id = e.id ORDER BY rank LIMIT 1)
FROM events_event e
"""


def of(event_id: int) -> Terms:
    """The terms as they stand now, or NoSuchEvent."""
    return _read(f"{TERMS} WHERE id = %s", event_id)


def of_slug(slug: str) -> Terms:
    """The terms of the event at this address, as they stand now, or NoSuchEvent."""
    return _read(f"{TERMS} WHERE slug = %s", slug)


def _read(statement: str, event: int | str) -> Terms:
    with connection.cursor() as cursor:
        cursor.execute(statement, [event])
        row = cursor.fetchone()
    if row is None:
        raise NoSuchEvent(event)
    event_id, currency, lease, payment, max_lease, limit, is_selling, *sale = row
    opens, closes, prices, ticket_fee, booking_fee, first_fare_id = sale
    return Terms(
        event_id=event_id,
        currency=currency,
        lease=timedelta(seconds=lease),
        payment_time=timedelta(seconds=payment),
        max_lease=timedelta(seconds=max_lease),
        limit_per_fan=limit,
        is_selling=is_selling,
        windows=tuple(zip(opens, closes, strict=True)),
        rates={(zone, fare): Rate(amount, int(ticket_fee)) for zone, fare, amount in prices},
        first_fare_id=first_fare_id,
        booking_fee=Money(int(booking_fee), currency),
    )
