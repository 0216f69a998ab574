"""What bookings does when a fact is told. Quick ones join the relay's transaction."""

import logging

from django.utils import timezone

from bookings import selectors
from bookings.models import Booking, BookingState, LapseReason, MailKind
from bookings.services import cancellations, issuing, mailing, paying
from ticketing.kernel import outbox
from ticketing.kernel.outbox import Fact

logger = logging.getLogger(__name__)


@outbox.handler("payments.payment_authorized", slow=True)
@outbox.handler("payments.payment_captured", slow=True)
@outbox.handler("payments.payment_declined", slow=True)
@outbox.handler("payments.payment_expired", slow=True)
def settle(fact: Fact) -> None:
    """Money came, or will not come: confirm, or let the booking lapse."""
    paying.learn(payment_reference=fact.payload["reference"])


@outbox.handler("bookings.booking_confirmed")
def issue_tickets(fact: Fact) -> None:
    issuing.issue(booking_id=fact.payload["booking_id"])


@outbox.handler("bookings.booking_confirmed", slow=True)
def capture(fact: Fact) -> None:
    paying.capture(payment_reference=fact.payload["payment_reference"])


@outbox.handler("bookings.tickets_issued", slow=True)
def mail_tickets(fact: Fact) -> None:
    # Cancelled before it was sent: that mail says more.
    if Booking.objects.filter(pk=fact.payload["booking_id"], state=BookingState.CONFIRMED).exists():
        mailing.send(booking_id=fact.payload["booking_id"], kind=MailKind.CONFIRMED)


@outbox.handler("bookings.lines_cancelled", slow=True)
def mail_cancelled(fact: Fact) -> None:
    mailing.send(
        booking_id=fact.payload["booking_id"],
        kind=MailKind.CANCELLED,
        cancellation_id=fact.payload["cancellation_id"],
    )


@outbox.handler("payments.payment_refunded", slow=True)
def follow_refund(fact: Fact) -> None:
    """A refund that is none of ours may have been of everything."""
    if not fact.payload["refund"].startswith(f"{fact.payload['reference']}-"):
        cancellations.follow_refund(payment_reference=fact.payload["reference"], at=timezone.now())


@outbox.handler("payments.refund_failed")
def tell_staff_of_failed_refund(fact: Fact) -> None:
    """The admin has a list of them, and the audit finds them until the money is back."""
    logger.error("refund %s failed: its money is still owed", fact.payload["refund"])


@outbox.handler("bookings.booking_lapsed", slow=True)
def give_money_back(fact: Fact) -> None:
    paying.give_back(payment_reference=fact.payload["payment_reference"])


@outbox.handler("bookings.booking_lapsed", slow=True)
def mail_late(fact: Fact) -> None:
    """Only who paid too late is told: the others saw it happen, or walked away."""
    if fact.payload["reason"] == LapseReason.LATE:
        mailing.send(booking_id=fact.payload["booking_id"], kind=MailKind.LAPSED)


@outbox.handler("payments.capture_failed")
def revoke_unpaid_tickets(fact: Fact) -> None:
    """The money did not come after all: no ticket opens a door, and staff decide on the seats."""
    booking = selectors.of_payment(fact.payload["reference"])
    if booking and booking.state == BookingState.CONFIRMED:
        revoked = issuing.revoke(booking_id=booking.pk)
        logger.error("capture failed: booking %s, %s tickets revoked", booking, revoked)
