"""The saga of a booking: start → pay → settle, in steps that each commit and may be run again.

Nothing outside is called inside a transaction. The return page, a webhook's fact and the sweep all
end in `settle`, which reads what payments knows and moves the booking by guarded steps; whoever
comes second changes nothing.
"""

import secrets
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from bookings import people
from bookings.errors import AddressLimitReached, CalledOff
from bookings.models import Booking, BookingLine, BookingState, LapseReason
from bookings.services import limits
from events import cancelling as event_cancelling
from events import terms as events
from events.terms import Terms
from inventory import selectors as inventory
from inventory.errors import (
    AccessUsedUp,
    AlreadyHolding,
    BadWish,
    HoldEnded,
    HoldLost,
    LimitReached,
    PlacesTaken,
    SaleClosed,
)
from inventory.services import holds, placing
from ticketing.kernel import outbox
from ticketing.kernel.money import Money

# No vowels and nothing that looks like something else: it is read out on the phone.
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ"

NOT_RETAKEN = (
    AccessUsedUp,
    AlreadyHolding,
    BadWish,
    HoldEnded,
    HoldLost,
    LimitReached,
    PlacesTaken,
    SaleClosed,
)


def start(*, hold: inventory.HoldView, name: str, email: str, terms: Terms) -> Booking:
    """Turn a live hold into a pending booking, its amount frozen; a second start joins the first.

    The name and the address are those of the last start. Gives the hold the event's payment time,
    once. Raises CalledOff, HoldLost or AddressLimitReached; then nothing has changed.
    """
    if terms.is_called_off:
        raise CalledOff(terms.event_id)
    person = people.key_of(email)
    with transaction.atomic(durable=True):
        # The person, then his bookings, then the hold: confirm takes a booking before its hold too.
        limits.lock(event_id=hold.event_id, email_key=person, hold_id=hold.id)
        holds.start_payment(hold_id=hold.id, fencing_token=hold.fencing_token, terms=terms)
        # The hold is locked and its lines are frozen: nobody else can start a booking for it.
        lines = inventory.lines(hold.id)
        limits.check(
            event_id=hold.event_id,
            email_key=person,
            hold_ids=[hold.id],
            places=sum(line.places for line in lines),
            limit=terms.limit_per_fan,
        )
        open_one = Booking.objects.filter(hold_id=hold.id, state=BookingState.PENDING).first()
        if open_one:
            # Who comes back to correct the address wants the tickets to go there.
            open_one.name, open_one.email, open_one.email_key = name, email, person
            open_one.save(update_fields=["name", "email", "email_key"])
            return open_one
        total, policy = total_of(hold, lines), event_cancelling.policy(hold.event_id)
        booking = Booking.objects.create(
            reference=new_reference(),
            secret=secrets.token_urlsafe(32),
            event_id=hold.event_id,
            hold_id=hold.id,
            first_hold_id=hold.id,
            fencing_token=hold.fencing_token,
            email=email,
            email_key=person,
            name=name,
            amount_minor=total.minor,
            booking_fee_minor=hold.booking_fee.minor,
            currency=total.currency,
            fans_cancel_until=policy.fans_until,
            kept_booking_fee_minor=min(policy.kept_booking_fee_minor, hold.booking_fee.minor),
            created_at=timezone.now(),
        )
        BookingLine.objects.bulk_create(_tickets(booking, lines, policy.kept_minor))
    return booking


def try_again(*, booking: Booking) -> Booking:
    """Begin another try of paying, when the last one ended without money and the hold lives."""
    # Guarded by the try it follows, so that two clicks begin one.
    with transaction.atomic(durable=True):
        Booking.objects.filter(
            pk=booking.pk, state=BookingState.PENDING, attempt=booking.attempt
        ).update(attempt=booking.attempt + 1)
    booking.refresh_from_db()
    return booking


def confirm(*, booking: Booking, at: datetime | None = None) -> None:
    """Sell the places to the booking, with its fact, in one transaction. Raises HoldLost.

    The token is the one that the booking started with: a hold that was lost and placed again, even
    by the same fan, is another hold.
    """
    with transaction.atomic(durable=True):
        state = Booking.objects.select_for_update().values_list("state", flat=True)
        if state.get(pk=booking.pk) != BookingState.PENDING:
            return
        holds.confirm(hold_id=booking.hold_id, fencing_token=booking.fencing_token, at=at)
        Booking.objects.filter(pk=booking.pk).move_to(
            BookingState.CONFIRMED, confirmed_at=timezone.now()
        )
        outbox.publish(
            topic="bookings.booking_confirmed",
            key=booking.reference,
            payload={"booking_id": booking.pk, "payment_reference": booking.payment_reference},
        )


def confirm_or_lapse(*, booking: Booking, terms: Terms) -> BookingState:
    """The money is there: confirm; if the hold is gone, take the very same places if all are free.

    Otherwise the booking lapses as late, and its fact sends the money back. A seat that is somebody
    else's is never taken back.
    """
    try:
        confirm(booking=booking)
    except HoldLost:
        try:
            _retake(booking, terms)
            confirm(booking=booking)
        except NOT_RETAKEN:
            lapse(booking=booking, reason=LapseReason.LATE)
    booking.refresh_from_db()
    return BookingState(booking.state)


def lapse(*, booking: Booking, reason: LapseReason) -> bool:
    """End a pending booking that came to nothing; False if it was not pending any more."""
    with transaction.atomic(durable=True):
        moved = Booking.objects.filter(pk=booking.pk).move_to(
            BookingState.LAPSED, lapsed_at=timezone.now(), lapse_reason=reason
        )
        if moved:
            outbox.publish(
                topic="bookings.booking_lapsed",
                key=booking.reference,
                payload={
                    "booking_id": booking.pk,
                    "payment_reference": booking.payment_reference,
                    "reason": reason,
                },
            )
    return bool(moved)


def new_reference() -> str:
    code = "".join(secrets.choice(ALPHABET) for _ in range(10))
    return f"{code[:5]}-{code[5:]}"


def _retake(booking: Booking, terms: Terms) -> None:
    """Hold the places of a lapsed hold anew, under a new token, for the same fan."""
    old = inventory.hold_by_id(booking.hold_id)
    if old is None or not old.has_expired:
        raise HoldLost("the fan let these places go")
    if old.access_code_id:
        terms = events.of(booking.event_id, access=old.access_code_id)
    wish = inventory.wish_of(old.id)
    placed = placing.place(
        terms=terms,
        owner=old.owner,
        key=f"retake {booking.reference} {booking.fencing_token}",
        wish=wish,
    )
    try:
        with transaction.atomic(durable=True):
            limits.lock(
                event_id=booking.event_id, email_key=booking.email_key, hold_id=placed.hold_id
            )
            # The person may have bought others since he lost these.
            limits.check(
                event_id=booking.event_id,
                email_key=booking.email_key,
                hold_ids=[old.id, placed.hold_id],
                places=wish.places,
                limit=terms.limit_per_fan,
            )
            # Nothing moves when somebody else who learned of the money was faster: it is done then.
            Booking.objects.filter(
                pk=booking.pk, state=BookingState.PENDING, fencing_token=old.fencing_token
            ).update(hold_id=placed.hold_id, fencing_token=placed.fencing_token)
    except AddressLimitReached:
        holds.release(reference=placed.reference, owner=old.owner)
        raise
    booking.refresh_from_db()


def _tickets(
    booking: Booking, lines: list[inventory.LineView], kept_minor: int
) -> list[BookingLine]:
    """One booking line for each ticket, whatever number of places the ticket takes."""
    each = [line for line in lines for _ in range(line.tickets)]
    return [
        BookingLine(
            booking=booking,
            position=position,
            seat_id=line.seat_id,
            pool_id=line.pool_id,
            fare_id=line.fare_id,
            section_name=line.section_name,
            row_label=line.row_label,
            seat_number=line.seat_number,
            zone_name=line.zone_name,
            fare_name=line.fare_name,
            admits=line.admits,
            price_minor=line.price.minor,
            fee_minor=line.fee.minor,
            kept_minor=min(kept_minor, line.price.minor + line.fee.minor),
        )
        for position, line in enumerate(each, start=1)
    ]


def total_of(hold: inventory.HoldView, lines: list[inventory.LineView]) -> Money:
    """What the fan will pay for a hold: every line, and the booking's own fee."""
    return sum((line.total for line in lines), hold.booking_fee)
