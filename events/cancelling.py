"""What an event's organizer gives back to whoever cancels, as it stands now.

A booking keeps what stood when it was made.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from events.terms import NoSuchEvent

POLICY = """
SELECT starts_at - make_interval(hours => fans_cancel_hours),
       cancellation_fee_minor + coalesce(sum(amount_minor) FILTER (WHERE kind = 'ticket'), 0),
       coalesce(sum(amount_minor) FILTER (WHERE kind = 'booking'), 0)
FROM events_event AS event
LEFT JOIN events_fee AS fee ON fee.event_id = event.id AND NOT is_refundable
WHERE event.id = %s GROUP BY event.id
"""


@dataclass(frozen=True, slots=True)
class Policy:
    # Just before this, fans may cancel by themselves; None is never.
    fans_until: datetime | None
    # Kept of each ticket, its fees included.
    kept_minor: int
    # Kept of what is paid once for a booking.
    kept_booking_fee_minor: int


def policy(event_id: int) -> Policy:
    """What stands now, or NoSuchEvent."""
    with connection.cursor() as cursor:
        cursor.execute(POLICY, [event_id])
        row = cursor.fetchone()
    if row is None:
        raise NoSuchEvent(event_id)
    return Policy(row[0], int(row[1]), int(row[2]))
