"""What bookings' pages say: values from selectors on one side, a template's words on the other."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bookings import cancelling, letters
from bookings.errors import AddressLimitReached
from bookings.models import Booking, BookingLine, BookingState, Ticket, TicketState
from bookings.services import cancellations, checkout
from bookings.tickets import qr
from events import selectors as events
from events import terms
from events.pricing import PriceList
from events.selectors import EventView
from inventory.selectors import HoldView, LineView
from payments import selectors as payments
from ticketing.kernel import times
from ticketing.kernel.money import Money
from venues import naming


def event_of(event_id: int) -> EventView:
    """The event of a hold or a booking, whatever has become of it."""
    view = events.event_by_id(event_id, at=timezone.now())
    if view is None:
        raise terms.NoSuchEvent(event_id)
    return view


def seatmap_url(view: EventView) -> str:
    """Where places are chosen: the map, or the event's own page for general admission."""
    return reverse("inventory:seats", args=[view.slug]) if view.seat_map_id else view.url


def hold_page(hold: HoldView, lines: Sequence[LineView]) -> dict[str, Any]:
    """The context of "your seats" and of everything that shows the same hold."""
    event, prices = event_of(hold.event_id), events.prices(hold.event_id)
    total = checkout.total_of(hold, list(lines))
    safe_until = times.clock(hold.expires_at, event.time_zone)
    return {
        "event": event,
        "seatmap_url": seatmap_url(event),
        "hold": {
            "url": reverse("bookings:hold", args=[hold.reference]),
            "state": "active" if hold.is_live else "ended",
            "expires_at": hold.expires_at.isoformat(),
            "server_now": hold.asked_at.isoformat(),
            "expires_text": safe_until,
            "time_left": _left(hold.expires_at - hold.asked_at),
            # Not at the very cap, where a click would change nothing.
            "can_extend": hold.expires_at + timedelta(seconds=30) < hold.max_expires_at
            and not hold.payment_started_at,
            "extend_url": reverse("bookings:extend", args=[hold.reference]),
            "change_url": reverse("bookings:change", args=[hold.reference]),
            "may_change": not hold.payment_started_at,
            "may_remove": not hold.payment_started_at and len(lines) > 1,
            "release_url": reverse("bookings:release", args=[hold.reference]),
            "fares_url": reverse("bookings:fares", args=[hold.reference]),
            "checkout_url": reverse("bookings:checkout", args=[hold.reference]),
        },
        "lines": [_line(line, prices, may_change=not hold.payment_started_at) for line in lines],
        "sums": hold_sums(hold, lines),
        "total": total.display(),
        "agreed": agreed(hold, lines),
        "included": _included([line.fee for line in lines]),
        "free": not total.minor,
        "safe_until": safe_until,
    }


def agreed(hold: HoldView, lines: Sequence[LineView]) -> str:
    """What a fan agrees to who pays: these places at this price, whatever another tab does."""
    return f"{hold.fencing_token} {checkout.total_of(hold, list(lines)).minor}"


def hold_sums(hold: HoldView, lines: Sequence[LineView]) -> list[dict[str, str]]:
    places = sum(line.places for line in lines)
    each = sum((line.total for line in lines), Money(0, hold.booking_fee.currency))
    return _sums(places, each, hold.booking_fee)


def address_limit(refusal: AddressLimitReached) -> str:
    """What an address may have, has already, and how many seats would have to go."""
    left = max(0, refusal.limit - refusal.owned)
    if not left:
        return _(
            "This address has %(owned)s places here already, and one person can have %(limit)s."
            " Please let these seats go, so that others can have them."
        ) % {"owned": refusal.owned, "limit": refusal.limit}
    said = ngettext(
        "This address has %(owned)s places here already, and one person can have %(limit)s."
        " Please let %(over)s seat go.",
        "This address has %(owned)s places here already, and one person can have %(limit)s."
        " Please let %(over)s seats go.",
        refusal.asked - left,
    )
    values = {"owned": refusal.owned, "limit": refusal.limit, "over": refusal.asked - left}
    return said % values


def booking_page(booking: Booking) -> dict[str, Any]:
    lines = list(booking.lines.order_by("position"))
    fee = Money(booking.booking_fee_minor, booking.currency)
    status, text = _status(booking)
    event = event_of(booking.event_id)
    tickets = letters.tickets_of(booking)
    return {
        "booking": {
            "status": status,
            "status_text": text,
            "reference": booking.reference,
            "email": booking.email,
            "total": booking.total.display(),
            "url": reverse("bookings:booking", args=[booking.secret]),
            "cancel_url": reverse("bookings:cancel", args=[booking.secret])
            if cancellations.may_fan_cancel(booking, at=timezone.now())
            else "",
            "cancel_until": times.spoken_in_full(booking.fans_cancel_until, event.time_zone)
            if booking.fans_cancel_until
            else "",
            # The fact that makes them is told within a moment.
            "awaits_tickets": status == BookingState.CONFIRMED and not tickets,
        },
        "event": event,
        "seatmap_url": seatmap_url(event),
        "cancelled": cancelling.story(booking),
        "tickets": [ticket_pass(booking, ticket) for ticket in tickets],
        "tickets_pdf_url": reverse("bookings:tickets_pdf", args=[booking.secret]),
        "sums": _sums(sum(line.admits for line in lines), booking.total - fee, fee),
        "included": _included([Money(line.fee_minor, booking.currency) for line in lines]),
    }


def ticket_pass(booking: Booking, ticket: Ticket) -> dict[str, Any]:
    """One ticket as the pages show it; the ticket comes from `letters.tickets_of`."""
    line = ticket.line
    return {
        "seat_parts": _seat_parts(line),
        "fare": letters.fare_of(line),
        # Drawn by us, from a code of ours.
        "qr_svg": mark_safe(qr.svg(letters.code_of(ticket))),  # noqa: S308
        "reference": f"{booking.reference}-{line.position}",
        "url": reverse("bookings:ticket", args=[booking.secret, ticket.pk]),
        "pdf_url": reverse("bookings:ticket_pdf", args=[booking.secret, ticket.pk]),
    }


def _status(booking: Booking) -> tuple[str, str]:
    if booking.state == BookingState.PENDING:
        payment = payments.payment(booking.payment_reference)
        if payment is None or payment.is_over:
            return "declined", _("Not paid")
        return "pending", _("Checking")
    if booking.state == BookingState.CONFIRMED and _is_revoked(booking):
        return "revoked", _("Not valid")
    words = {
        BookingState.CONFIRMED: _("Booked"),
        BookingState.LAPSED: _("Not booked"),
        BookingState.CANCELLED: _("Cancelled"),
    }
    return booking.state, words[BookingState(booking.state)]


def _is_revoked(booking: Booking) -> bool:
    """Whether there were tickets, and none is valid any more: the money did not come after all."""
    tickets = Ticket.objects.filter(line__booking=booking)
    return tickets.exists() and not tickets.filter(state=TicketState.VALID).exists()


def _line(line: LineView, prices: PriceList, *, may_change: bool) -> dict[str, Any]:
    place = line.section_name
    if line.row_label:
        place = naming.seat_name(line.row_label, line.seat_number)
    elif line.admits > 1:
        place = ngettext(
            "%(n)s ticket for %(admits)s people, %(area)s",
            "%(n)s tickets for %(admits)s people each, %(area)s",
            line.tickets,
        ) % {"n": line.tickets, "admits": line.admits, "area": line.section_name}
    elif line.places > 1:
        place = _("%(n)s places, %(area)s") % {"n": line.places, "area": line.section_name}
    zone = prices.zone(line.zone_id)
    return {
        "id": line.id,
        "seat": place,
        "section": line.section_name if line.row_label else "",
        "zone": line.zone_name,
        "zone_letter": zone.letter,
        "zone_color_index": zone.color_index,
        "price": line.total.display(),
        "fares": _fares(line, prices) if may_change else [],
    }


def _fares(line: LineView, prices: PriceList) -> list[dict[str, Any]]:
    """The fares that the line may have; none where there is no choice."""
    cells = {cell.fare_id: cell.price for cell in prices.zone(line.zone_id).cells}
    found = [
        {
            "id": fare.id,
            "name": fare.name,
            "price": price.display(),
            "chosen": fare.id == line.fare_id,
        }
        for fare in prices.fares
        if (price := cells[fare.id])
        and (fare.places == 1 or (line.pool_id and not line.places % fare.places))
    ]
    return found if len(found) > 1 else []


def _seat_parts(line: BookingLine) -> list[dict[str, str]]:
    if not line.row_label:
        return [{"name": _("Area"), "value": line.section_name}]
    return [
        {"name": _("Section"), "value": line.section_name},
        {"name": _("Row"), "value": line.row_label},
        {"name": _("Seat"), "value": line.seat_number},
    ]


def _sums(places: int, each: Money, booking_fee: Money) -> list[dict[str, str]]:
    said = ngettext("%(n)s place", "%(n)s places", places) % {"n": places}
    rows = [{"name": said, "amount": each.display()}]
    if booking_fee.minor:
        rows.append({"name": _("Booking fee"), "amount": booking_fee.display()})
    return rows


def _included(fees: Sequence[Money]) -> str:
    """What of the prices is a fee, said openly."""
    total = sum(fee.minor for fee in fees)
    if not total:
        return ""
    money = Money(total, fees[0].currency)
    return _("Prices include ticket fees of %(fees)s.") % {"fees": money.display()}


def _left(time: timedelta) -> str:
    minutes, seconds = divmod(max(0, int(time.total_seconds())), 60)
    return f"{minutes}:{seconds:02}"
