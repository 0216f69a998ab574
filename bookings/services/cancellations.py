"""Giving tickets back: some lines of a booking, or all of it.

A workflow of its own, apart from the refund: one transaction revokes the tickets, gives the places
back and promises the money; the refund's own state says when it moved. What goes back follows the
policy that stood at the purchase, kept on the booking and its lines.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from bookings import selectors
from bookings.errors import AnotherRefund, CancelledTooLate, NotCancellable
from bookings.models import Booking, BookingLine, BookingState, Cancellation, Cause
from bookings.services import issuing
from inventory.services import cancelling
from payments import selectors as payments
from payments.services import refunds
from ticketing.kernel import outbox
from ticketing.kernel.acting import Actor
from ticketing.kernel.money import Money

THE_FAN = Actor(name="the fan")
THE_PROVIDER = Actor(name="the payment provider")
PAID_BACK = "all of the money was paid back at the provider"


@dataclass(frozen=True, slots=True)
class Preview:
    """What goes back, exactly, when these lines are cancelled."""

    # By line, in their order.
    lines: Sequence[tuple[BookingLine, Money]]
    booking_fee: Money
    back: Money
    kept: Money
    # Nothing of the booking is left after it.
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Wish:
    """Whose wish it is to cancel, and why; `in_full` keeps nothing back, whatever the policy."""

    cause: Cause
    by: Actor
    why: str = ""
    in_full: bool = False


def may_fan_cancel(booking: Booking, *, at: datetime) -> bool:
    until = booking.fans_cancel_until
    return booking.state == BookingState.CONFIRMED and until is not None and at < until


def preview(*, booking: Booking, line_ids: Collection[int], in_full: bool = False) -> Preview:
    """What cancelling these lines would give back now. Raises NotCancellable."""
    left = payments.left_to_give_back(booking.payment_reference)
    return _work_out(booking, line_ids, left, in_full=in_full)


def cancel(
    *,
    booking_id: int,
    line_ids: Collection[int],
    wish: Wish,
    at: datetime,
    expected: Money | None = None,
    returns_to: int | None = None,
) -> int | None:
    """Cancel these lines, with their tickets, places and money; returns the cancellation's id.

    None if all of them were cancelled before: a second click changes nothing. The places go to
    everybody, or into the block `returns_to`. Raises AnotherRefund if what goes back is not what
    was `expected`, NotCancellable and CancelledTooLate; then nothing has changed.
    """
    with transaction.atomic(durable=True):
        booking = Booking.objects.select_for_update().get(pk=booking_id)
        if _were_cancelled(booking, line_ids):
            return None
        if wish.cause == Cause.FAN and not may_fan_cancel(booking, at=at):
            raise CancelledTooLate(booking.reference)
        # The payment after the booking, and before the places: nobody goes the other way.
        left = refunds.lock_and_count_left(booking.payment_reference)
        worked_out = _work_out(booking, line_ids, left, in_full=wish.in_full)
        if expected is not None and expected != worked_out.back:
            raise AnotherRefund(booking.reference)
        made = Cancellation.objects.create(
            booking=booking,
            cause=wish.cause,
            why=wish.why,
            at=at,
            refund_minor=worked_out.back.minor,
            kept_minor=worked_out.kept.minor,
            **wish.by.fields,
        )
        lines = [line for line, _ in worked_out.lines]
        _give_back(booking, lines, made, returns_to)
        if worked_out.is_whole:
            Booking.objects.filter(pk=booking.pk).move_to(BookingState.CANCELLED, cancelled_at=at)
        if worked_out.back.minor:
            refunds.request(
                payment_reference=booking.payment_reference,
                reference=selectors.refund_reference(booking, made.pk),
                amount=worked_out.back,
                is_last=worked_out.is_whole,
                at=at,
            )
        outbox.publish(
            topic="bookings.lines_cancelled",
            key=str(made.pk),
            payload={"booking_id": booking.pk, "cancellation_id": made.pk},
        )
    return made.pk


def cancel_what_is_left(*, booking_id: int, wish: Wish, at: datetime) -> int | None:
    """Cancel every line that is still sold; None if there was none, or it is not sold at all."""
    booking = Booking.objects.get(pk=booking_id)
    line_ids = booking.lines.filter(cancellation=None).values_list("pk", flat=True)
    if booking.state != BookingState.CONFIRMED:
        return None
    return cancel(booking_id=booking_id, line_ids=list(line_ids), wish=wish, at=at)


def follow_refund(*, payment_reference: str, at: datetime) -> None:
    """All of a booking's money went back at the provider: its tickets and places go back too."""
    booking = selectors.of_payment(payment_reference)
    payment = payments.payment(payment_reference)
    if booking is None or payment is None or booking.payment_reference != payment_reference:
        return
    if payment.captured.minor and payment.captured == payment.refunded:
        wish = Wish(Cause.PAID_BACK, THE_PROVIDER, PAID_BACK)
        cancel_what_is_left(booking_id=booking.pk, wish=wish, at=at)


def _were_cancelled(booking: Booking, line_ids: Collection[int]) -> bool:
    gone = booking.lines.filter(pk__in=line_ids).exclude(cancellation=None)
    return bool(line_ids) and gone.count() == len(set(line_ids))


def _work_out(
    booking: Booking, line_ids: Collection[int], left: Money, *, in_full: bool
) -> Preview:
    sold = list(booking.lines.filter(cancellation=None).order_by("position"))
    wanted = [line for line in sold if line.pk in set(line_ids)]
    if booking.state != BookingState.CONFIRMED or not wanted:
        raise NotCancellable(booking.reference)
    if len(wanted) != len(set(line_ids)):
        raise NotCancellable(booking.reference)
    is_whole = len(wanted) == len(sold)
    none = Money(0, booking.currency)
    each = [
        (line, Money(line.paid_minor - (0 if in_full else line.kept_minor), booking.currency))
        for line in wanted
    ]
    fee_kept = 0 if in_full else booking.kept_booking_fee_minor
    fee = Money(booking.booking_fee_minor - fee_kept, booking.currency) if is_whole else none
    paid = sum(line.paid_minor for line in wanted)
    paid += booking.booking_fee_minor if is_whole else 0
    # Less was left if somebody gave some of it back at the provider.
    back = min(sum((amount for _, amount in each), fee), left)
    return Preview(each, fee, back, Money(paid, booking.currency) - back, is_whole)


def _give_back(
    booking: Booking, lines: Sequence[BookingLine], made: Cancellation, returns_to: int | None
) -> None:
    ids = [line.pk for line in lines]
    # The booking is locked: nobody else cancels a line of it.
    BookingLine.objects.filter(pk__in=ids).update(cancellation=made)
    places: Counter[tuple[int, int]] = Counter()
    for line in lines:
        if line.pool_id and line.fare_id:
            places[line.pool_id, line.fare_id] += line.admits
    cancelling.cancel(
        hold_id=booking.hold_id,
        fencing_token=booking.fencing_token,
        seat_ids=[line.seat_id for line in lines if line.seat_id],
        pool_places=places,
        returns_to=returns_to,
    )
    issuing.revoke(booking_id=booking.pk, line_ids=ids)
