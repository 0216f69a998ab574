"""What bookings knows of its own, for its doors."""

from collections.abc import Collection

from django.db import connection

from bookings.models import Booking
from inventory import selectors as inventory
from payments import selectors as payments


def by_secret(secret: str) -> Booking | None:
    """The booking behind an unguessable link."""
    return Booking.objects.filter(secret=secret).first()


# In SQL, since every hold asks this and hardly any booking answers.
PENDING = """
SELECT booking.id FROM bookings_booking AS booking
JOIN inventory_hold AS hold ON hold.id = booking.hold_id
WHERE hold.event_id = %s AND hold.owner = ANY(%s) AND booking.state = 'pending'
"""


def of_payment(payment_reference: str) -> Booking | None:
    """The booking that a payment is for, whichever of its tries that was."""
    reference, _, _attempt = payment_reference.rpartition("-")
    return Booking.objects.filter(reference=reference).first()


def refund_reference(booking: Booking, cancellation_id: int) -> str:
    """What payments calls the refund of a cancellation."""
    return f"{booking.payment_reference}-c{cancellation_id}"


def unclear(*, event_id: int, names: Collection[str]) -> Booking | None:
    """A booking of the fan of these names whose money may still come though its seats are gone.

    Until it is clear, another purchase could be paid twice.
    """
    if not names:
        return None
    with connection.cursor() as cursor:
        cursor.execute(PENDING, [event_id, list(names)])
        pending = [pk for (pk,) in cursor.fetchall()]
    for booking in Booking.objects.in_bulk(pending).values():
        payment = payments.payment(booking.payment_reference)
        hold = inventory.hold_by_id(booking.hold_id)
        if payment and not payment.is_over and not (hold and hold.is_live):
            return booking
    return None


def of_hold(hold_id: int) -> Booking | None:
    """The latest booking that a fan started with this hold, whatever became of both."""
    return Booking.objects.filter(first_hold_id=hold_id).order_by("-pk").first()
