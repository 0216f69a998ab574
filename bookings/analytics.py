"""How the coming events sell: places by what became of them, and what the bookings are worth."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from inventory import selectors as inventory
from ticketing.kernel import times
from ticketing.kernel.money import Money

# More would not be read on one page; the list of events has the rest.
MOST_EVENTS = 12


@dataclass(frozen=True, slots=True)
class Sales:
    """One coming event. Free, held, booked and blocked add up to the capacity."""

    event_id: int
    title: str
    when: str
    capacity: int
    free: int
    held: int
    booked: int
    blocked: int
    bookings: int
    gross: Money

    @property
    def booked_percent(self) -> int:
        return 100 * self.booked // self.capacity if self.capacity else 0


# One row for each coming event with what its confirmed bookings are worth, less what went back.
COMING = """
SELECT event.id, event.title, event.starts_at, venue.time_zone, event.currency,
       count(booking.id), coalesce(sum(booking.amount_minor - coalesce((
           SELECT sum(refund_minor) FROM bookings_cancellation WHERE booking_id = booking.id
       ), 0)), 0)
FROM events_event AS event
JOIN venues_venue AS venue ON venue.id = event.venue_id
LEFT JOIN bookings_booking AS booking
  ON booking.event_id = event.id AND booking.state = 'confirmed'
WHERE event.opened_at IS NOT NULL AND event.state <> 'cancelled' AND event.starts_at >= %s
  AND (%s::bigint[] IS NULL OR event.organizer_id = ANY(%s))
GROUP BY event.id, venue.id ORDER BY event.starts_at, event.id LIMIT %s
"""


def coming(*, since: datetime, organizer_ids: Collection[int] | None) -> list[Sales]:
    """The next events that sell, soonest first; of these organizers only, or of all for None."""
    mine = None if organizer_ids is None else list(organizer_ids)
    with connection.cursor() as cursor:
        cursor.execute(COMING, [since, mine, mine, MOST_EVENTS])
        rows = cursor.fetchall()
    places = inventory.occupancy([row[0] for row in rows])
    return [
        Sales(
            event_id=event_id,
            title=title,
            when=times.spoken(starts_at, zone),
            capacity=places[event_id].capacity,
            free=places[event_id].free,
            held=places[event_id].held,
            booked=places[event_id].booked,
            blocked=places[event_id].blocked,
            bookings=bookings,
            gross=Money(int(gross), currency),
        )
        for event_id, title, starts_at, zone, currency, bookings, gross in rows
    ]
