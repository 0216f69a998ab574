"""What tickets and mails say of a booking: rows on one side, words on the other."""

from typing import Any

from django.conf import settings
from django.db.models import Prefetch
from django.urls import reverse
from django.utils.translation import gettext as _

from bookings.models import (
    Booking,
    BookingLine,
    Cancellation,
    Cause,
    Credential,
    MailKind,
    Ticket,
    TicketState,
)
from bookings.tickets.model import TicketFace
from events.models import Event
from ticketing.kernel import times
from ticketing.kernel.money import Money
from venues import naming


def link(name: str, *args: object) -> str:
    """An absolute address on the public site."""
    return f"{settings.BASE_URL}{reverse(name, args=args)}"


def tickets_of(booking: Booking) -> list[Ticket]:
    """The valid tickets in the order of the booking's lines, each with its live credential."""
    live = Credential.objects.filter(voided_at=None)
    return list(
        Ticket.objects.filter(line__booking=booking, state=TicketState.VALID)
        .select_related("line")
        .prefetch_related(Prefetch("credentials", live, to_attr="live"))
        .order_by("line__position")
    )


def code_of(ticket: Ticket) -> str:
    """The code of a ticket that came from `tickets_of`."""
    live: list[Credential] = ticket.live  # type: ignore[attr-defined]
    return live[0].code


def place_of(ticket: Ticket) -> str:
    """Where the ticket lets you."""
    line = ticket.line
    return naming.place_name(line.section_name, line.row_label, line.seat_number)


def fare_of(line: BookingLine) -> str:
    """Whom the ticket lets in."""
    if line.admits == 1:
        return line.fare_name
    return _("%(fare)s, %(n)s people") % {"fare": line.fare_name, "n": line.admits}


def faces(booking: Booking) -> list[TicketFace]:
    """What is printed on each of the booking's valid tickets."""
    event = _event(booking)
    zone = event.venue.time_zone
    tickets = tickets_of(booking)
    return [
        TicketFace(
            event=event.title,
            subtitle=event.series.name if event.series and event.series.name != event.title else "",
            starts=times.spoken_in_full(event.starts_at, zone),
            doors=_doors(event),
            venue=event.venue.name,
            address=", ".join(part for part in (event.venue.address, event.venue.city) if part),
            section=ticket.line.section_name,
            row=ticket.line.row_label,
            seat=ticket.line.seat_number,
            zone=ticket.line.zone_name,
            fare=fare_of(ticket.line),
            price=Money(
                ticket.line.price_minor + ticket.line.fee_minor, booking.currency
            ).display(),
            holder=booking.name,
            reference=booking.reference,
            number=_("%(n)s of %(all)s") % {"n": number, "all": len(tickets)},
            organizer=event.organizer.name,
            code=code_of(ticket),
        )
        for number, ticket in enumerate(tickets, start=1)
    ]


def context(
    booking: Booking, kind: MailKind, cancellation: Cancellation | None = None
) -> dict[str, Any]:
    """What the templates of a mail may use."""
    event = _event(booking)
    zone = event.venue.time_zone
    said: dict[str, Any] = {
        "booking": {"reference": booking.reference, "total": booking.total.display()},
        "event": {
            "title": event.title,
            "when": times.spoken_in_full(event.starts_at, zone),
            "where": ", ".join(
                p for p in (event.venue.name, event.venue.address, event.venue.city) if p
            ),
        },
        "booking_url": link("bookings:booking", booking.secret),
    }
    if kind == MailKind.CONFIRMED:
        said["tickets"] = [
            (place_of(ticket), link("bookings:ticket_pdf", booking.secret, ticket.pk))
            for ticket in tickets_of(booking)
        ]
    elif cancellation:
        said |= _cancelled(cancellation)
    else:
        said["money"] = _(
            "We give back everything you paid, %(total)s: a reservation on your card ends by "
            "itself, a payment is refunded within a few days."
        ) % {"total": booking.total.display()}
    return said


def _cancelled(cancellation: Cancellation) -> dict[str, Any]:
    if cancellation.refund_minor:
        money = _(
            "We give back %(refund)s to the card you paid with. A reservation ends by itself, a"
            " payment is back within a few days."
        ) % {"refund": cancellation.refund.display()}
    else:
        money = _("There is nothing to give back.")
    if cancellation.kept_minor and cancellation.cause != Cause.PAID_BACK:
        kept = cancellation.kept.display()
        money += " " + _("%(kept)s are kept, as it was agreed when you booked.") % {"kept": kept}
    return {
        "places": [
            naming.place_name(line.section_name, line.row_label, line.seat_number)
            for line in cancellation.lines.order_by("position")
        ],
        "money": money,
        "called_off": cancellation.cause == Cause.CALLED_OFF,
        "some_left": cancellation.booking.lines.filter(cancellation=None).exists(),
    }


def _doors(event: Event) -> str:
    if event.doors_at is None:
        return ""
    return _("Doors %(time)s") % {"time": times.clock(event.doors_at, event.venue.time_zone)}


def _event(booking: Booking) -> Event:
    return Event.objects.select_related("venue", "organizer", "series").get(pk=booking.event_id)
