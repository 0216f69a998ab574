"""A booking and its payment: what payments learned, brought home to the booking.

Payments knows only a reference. Each function here may be called by anybody at any time: by the
return page, by the handler of a fact, by the sweep.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass

from bookings import selectors
from bookings.errors import BookingLapsed
from bookings.models import Booking, BookingState, LapseReason
from bookings.services import checkout
from events import terms as events
from inventory import selectors as inventory
from inventory.services import holds
from payments import selectors as payments
from payments.errors import OutcomeUnknown, ProviderRejected
from payments.services import charges

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the provider sends the fan: after paying, and after turning back."""

    paid: str
    cancelled: str


def pay(*, booking: Booking, description: str, addresses: Addresses) -> payments.PaymentView:
    """Open the payment of a pending booking, or join the one that is open.

    A try that ended without money is followed by another. Calls the provider. Raises BookingLapsed
    when the hold is gone.
    """
    hold = inventory.hold_by_id(booking.hold_id)
    if booking.state != BookingState.PENDING or hold is None or not hold.is_live:
        raise BookingLapsed(booking.reference)
    last = payments.payment(booking.payment_reference)
    if last and last.is_over:
        booking = checkout.try_again(booking=booking)
    charges.begin(
        reference=booking.payment_reference,
        amount=booking.total,
        description=description,
        success_url=addresses.paid,
        cancel_url=addresses.cancelled,
        deadline_at=hold.expires_at,
        email=booking.email,
    )
    payment = payments.payment(booking.payment_reference)
    if payment is None:
        raise BookingLapsed(booking.reference)
    if payment.is_paid:
        settle(booking=booking)
    return payment


def refresh(*, booking: Booking) -> Booking:
    """Ask the provider how the payment stands, and settle what it says. Calls the provider."""
    if booking.state == BookingState.PENDING and payments.payment(booking.payment_reference):
        charges.refresh(reference=booking.payment_reference)
        settle(booking=booking)
        booking.refresh_from_db()
    return booking


def was_declined(*, booking: Booking) -> bool:
    """Whether the last card of a booking that is still to be paid was refused."""
    payment = payments.payment(booking.payment_reference)
    if payment is None or payment.is_paid or payment.is_unknown:
        return False
    return bool(payment.last_problem) or payment.is_over


def learn(*, payment_reference: str) -> None:
    """Something is known of a payment: settle its booking, or give back money nobody waits for.

    Money of an earlier try, or of a booking that lapsed meanwhile, goes back. May call the
    provider.
    """
    booking = selectors.of_payment(payment_reference)
    if booking is None:
        return
    if booking.payment_reference == payment_reference:
        settle(booking=booking)
    payment = payments.payment(payment_reference)
    # Asked once more: settling looks at the booking anew, and the fan may have begun another try.
    is_of_an_earlier_try = booking.payment_reference != payment_reference
    unwanted = is_of_an_earlier_try or booking.state == BookingState.LAPSED
    if unwanted and payment and payment.is_paid:
        give_back(payment_reference=payment_reference)


def settle(*, booking: Booking) -> None:
    """Bring what payments knows home to the booking; nothing outside is asked.

    Money there: confirm, or lapse as late. No money, none to come, and the hold gone: lapse.
    """
    booking.refresh_from_db()
    payment = payments.payment(booking.payment_reference)
    if booking.state != BookingState.PENDING:
        return
    if payment and payment.is_paid:
        checkout.confirm_or_lapse(booking=booking, terms=events.of(booking.event_id))
        return
    hold = inventory.hold_by_id(booking.hold_id)
    gone = hold is None or not hold.is_live
    if gone and (payment is None or payment.is_over):
        expired = hold is None or hold.has_expired
        checkout.lapse(
            booking=booking, reason=LapseReason.UNPAID if expired else LapseReason.LET_GO
        )


def let_go(*, hold: inventory.HoldView) -> bool:
    """Give the fan's places back at his wish, and close the payment that was open for them.

    Calls the provider when one was. Money that came at the same moment goes back. False, and
    nothing is done, if the hold was over: another tab may have just paid for it.
    """
    if not holds.release(reference=hold.reference, owner=hold.owner):
        return False
    # Asked for now: only once its hold is released can nobody confirm it any more.
    booking = Booking.objects.filter(hold_id=hold.id, state=BookingState.PENDING).first()
    if booking is None:
        return True
    if payments.payment(booking.payment_reference):
        # Without a good answer it stays unwanted: reconciliation goes on giving it back.
        with suppress(OutcomeUnknown, ProviderRejected):
            charges.void(reference=booking.payment_reference)
    settle(booking=booking)
    return True


def sweep(*, limit: int) -> int:
    """Settle pending bookings that nobody came back to; returns how many are pending no more."""
    pending = Booking.objects.filter(state=BookingState.PENDING).order_by("created_at")
    settled = 0
    for booking in pending[:limit]:
        try:
            settle(booking=booking)
        except Exception:
            # The others have nothing to do with it.
            logger.exception("booking %s cannot be settled", booking.reference)
        booking.refresh_from_db()
        settled += booking.state != BookingState.PENDING
    return settled


def capture(*, payment_reference: str) -> None:
    """Take the money that a confirmed booking reserved. Calls the provider."""
    charges.capture(reference=payment_reference)


def give_back(*, payment_reference: str) -> None:
    """Void or refund what a lapsed booking was paid. Calls the provider."""
    if payments.payment(payment_reference):
        charges.void(reference=payment_reference)
