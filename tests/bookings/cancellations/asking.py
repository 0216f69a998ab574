"""What buyers and staff do, and what must be true after it."""

from django.utils import timezone

from bookings.models import (
    BookingState,
    Cause,
    Ticket,
    TicketState,
)
from bookings.services import cancellations, paying
from payments import selectors as payments
from tests.bookings.conftest import hold_of, pay, session_of, start
from tests.inventory.asking import place
from ticketing.kernel import audit
from ticketing.kernel.acting import Actor

STAFF = cancellations.Wish(Cause.STAFF, Actor(name="Grace"), "the fan is ill")
FAN = cancellations.Wish(Cause.FAN, cancellations.THE_FAN)


def buy(provider, sale, seats, *, pools=(), owner="a"):
    """A booking that is paid, its money reserved; nothing was told of it yet."""
    booking = start(hold_of(place(sale, seats, pools=pools, owner=owner)), sale)
    pay(booking)
    provider.pay(session_of(booking))
    paying.refresh(booking=booking)
    booking.refresh_from_db()
    assert booking.state == BookingState.CONFIRMED
    return booking


def lines(booking):
    return list(booking.lines.order_by("position").values_list("pk", flat=True))


def cancel(booking, line_ids, wish=STAFF, **how):
    return cancellations.cancel(
        booking_id=booking.pk, line_ids=line_ids, wish=wish, at=timezone.now(), **how
    )


def money(booking):
    """What was taken and what was given back, as we know it and as the provider does."""
    payment = payments.payment(booking.payment_reference)
    return payment.captured.minor, payment.refunded.minor


def valid(booking):
    return Ticket.objects.filter(line__booking=booking, state=TicketState.VALID).count()


def in_order():
    assert [str(finding) for finding in audit.run()] == []
