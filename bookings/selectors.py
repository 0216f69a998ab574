"""What bookings knows of its own, for its doors."""

from bookings.models import Booking, BookingState
from inventory import selectors as inventory
from payments import selectors as payments


def by_secret(secret: str) -> Booking | None:
    """The booking behind an unguessable link."""
    return Booking.objects.filter(secret=secret).first()


def unclear(*, event_id: int, owner: str) -> Booking | None:
    """A booking of this fan whose money may still come though its seats are gone.

    Until it is clear, another purchase could be paid twice.
    """
    pending = Booking.objects.filter(
        event_id=event_id, state=BookingState.PENDING, hold__owner=owner
    )
    # Every hold asks, and hardly anybody has one: no more is said than is needed.
    for booking in pending.only("secret", "reference", "attempt", "hold_id"):
        payment = payments.payment(booking.payment_reference)
        hold = inventory.hold_by_id(booking.hold_id)
        if payment and not payment.is_over and not (hold and hold.is_live):
            return booking
    return None


def of_hold(hold_id: int) -> Booking | None:
    """The booking that was started for a hold, unless it came to nothing."""
    return Booking.objects.filter(hold_id=hold_id).exclude(state=BookingState.LAPSED).first()
