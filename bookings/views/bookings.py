"""A booking behind its link, and its tickets."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bookings import letters, pages, printing, visitors
from bookings.models import Booking, BookingState
from bookings.views.doors import booking_behind, secret
from inventory import selectors as inventory


@require_safe
@secret
def booking(request: HttpRequest, booking_secret: str) -> HttpResponse:
    """How the booking stands. While its payment is unclear, the page asks again by itself."""
    found = booking_behind(booking_secret)
    context = pages.booking_page(found)
    if context["booking"]["status"] == "pending":
        return render(request, "bookings/checking.html", context)
    if context["booking"]["status"] == "declined":
        context["retry_url"] = _retry_url(request, found)
    context["fresh"] = "fresh" in request.GET
    return render(request, "bookings/booking.html", context)


@require_safe
@secret
def ticket(request: HttpRequest, booking_secret: str, ticket_id: int) -> HttpResponse:
    """One ticket, large, for the door."""
    found = booking_behind(booking_secret)
    for valid in letters.tickets_of(found):
        if valid.pk == ticket_id:
            context = {
                "ticket": pages.ticket_pass(found, valid),
                "event": pages.event_of(found.event_id),
                "booking_url": reverse("bookings:booking", args=[found.secret]),
            }
            return render(request, "bookings/ticket.html", context)
    raise Http404


@require_safe
@secret
def ticket_pdf(request: HttpRequest, booking_secret: str, ticket_id: int) -> HttpResponse:
    found = booking_behind(booking_secret)
    return _pdf(printing.one_ticket(found, ticket_id), f"ticket-{found.reference}-{ticket_id}")


@require_safe
@secret
def tickets_pdf(request: HttpRequest, booking_secret: str) -> HttpResponse:
    found = booking_behind(booking_secret)
    return _pdf(printing.all_tickets(found), f"tickets-{found.reference}")


def _pdf(content: bytes | None, name: str) -> HttpResponse:
    if content is None:
        raise Http404
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return response


def _retry_url(request: HttpRequest, booking: Booking) -> str:
    """Back to the checkout, for the fan whose seats they still are."""
    hold = inventory.hold_by_id(booking.hold_id)
    mine = hold and hold.owner in visitors.of(request).names
    if booking.state == BookingState.PENDING and hold and mine and hold.is_live:
        return reverse("bookings:checkout", args=[hold.reference])
    return ""
