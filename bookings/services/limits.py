"""How many places one person may have at an event, whatever browsers he uses: by e-mail address.

Lock order: the person (advisory, by event and address) → his bookings by pk → their holds, and then
as inventory says.
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import Q

from bookings.errors import AddressLimitReached
from bookings.models import Booking, BookingState
from ticketing.kernel import transactions

OPEN = [BookingState.PENDING, BookingState.CONFIRMED]

# A pending booking counts while its hold is live; of a confirmed one, what was not cancelled.
COUNT = """
SELECT coalesce(sum(line.places - line.cancelled), 0) FROM bookings_booking AS booking
JOIN inventory_hold AS hold ON hold.id = booking.hold_id
JOIN inventory_holdline AS line ON line.hold_id = hold.id
WHERE booking.event_id = %s AND booking.email_key = %s AND booking.hold_id <> ALL(%s)
  AND (booking.state = 'confirmed' OR (booking.state = 'pending' AND hold.state = 'active'
       AND hold.expires_at > clock_timestamp()))
"""


def lock(*, event_id: int, email_key: str, hold_id: int) -> None:
    """Let one person start one booking at a time, and wait for those of his that are in motion.

    Joins the caller's transaction, as its first lock. The booking of this hold is locked with them.
    """
    transactions.require()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
            [f"person:{event_id}:{email_key}"],
        )
    his = Q(event_id=event_id, email_key=email_key, state__in=OPEN)
    rows = Booking.objects.filter(his | Q(hold_id=hold_id, state__in=OPEN)).order_by("pk")
    list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))


def check(
    *, event_id: int, email_key: str, hold_ids: Collection[int], places: int, limit: int
) -> None:
    """Insist that the person may have the places of these holds beside those of his bookings.

    The caller has his lock. Raises AddressLimitReached.
    """
    transactions.require()
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [event_id, email_key, list(hold_ids)])
        owned = int(cursor.fetchone()[0])
    if owned + places > limit:
        raise AddressLimitReached(limit=limit, owned=owned, asked=places)
