"""From a confirmed booking to tickets: one for each line, once."""

from collections.abc import Collection

from django.utils import timezone

from bookings.models import Booking, BookingState, Credential, Ticket, TicketState
from bookings.tickets import credentials
from ticketing.kernel import outbox, transactions


def issue(*, booking_id: int) -> int:
    """Issue the tickets that a confirmed booking has not yet; returns how many were new.

    Joins the caller's transaction. Issuing twice changes nothing.
    """
    transactions.require()
    booking = Booking.objects.select_for_update().get(pk=booking_id)
    if booking.state != BookingState.CONFIRMED:
        return 0
    now = timezone.now()
    # Any ticket ever: a revoked one is not issued again by a fact told twice.
    lines = booking.lines.filter(tickets=None, cancellation=None).order_by("position")
    tickets = Ticket.objects.bulk_create(Ticket(line=line, issued_at=now) for line in lines)
    Credential.objects.bulk_create(
        Credential(ticket=ticket, code=credentials.new_code(), issued_at=now) for ticket in tickets
    )
    outbox.publish(
        topic="bookings.tickets_issued",
        key=booking.reference,
        payload={"booking_id": booking.pk},
    )
    return len(tickets)


def revoke(*, booking_id: int, line_ids: Collection[int] | None = None) -> int:
    """Revoke valid tickets, of all lines or of these, and void their credentials; how many.

    Joins the caller's transaction.
    """
    transactions.require()
    now = timezone.now()
    tickets = Ticket.objects.filter(line__booking_id=booking_id, state=TicketState.VALID)
    if line_ids is not None:
        tickets = tickets.filter(line__in=line_ids)
    Credential.objects.filter(ticket__in=tickets, voided_at=None).update(voided_at=now)
    return tickets.move_to(TicketState.REVOKED, revoked_at=now)
