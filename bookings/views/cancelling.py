"""Where a fan gives tickets back: what goes back is shown before the click."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from bookings import cancelling, forms, pages
from bookings.errors import AnotherRefund, NotCancellable
from bookings.models import Booking, Cause
from bookings.services import cancellations
from bookings.views.doors import booking_behind, secret
from ticketing.kernel.money import Money


@require_http_methods(["GET", "HEAD", "POST"])
@secret
def cancel(request: HttpRequest, booking_secret: str) -> HttpResponse:
    """Ask which tickets; show what goes back; cancel when that is confirmed."""
    booking = booking_behind(booking_secret)
    if not cancellations.may_fan_cancel(booking, at=timezone.now()):
        messages.info(request, _("These tickets cannot be cancelled here, or not any more."))
        return redirect("bookings:booking", booking_secret)
    if request.method != "POST":
        return _page(request, booking, [])
    try:
        line_ids = forms.read_lines(request.POST)
        if "confirm" in request.POST:
            return _cancel(request, booking, line_ids)
        return _page(request, booking, line_ids)
    except forms.BadForm as problem:
        messages.error(request, problem.text)
        return redirect("bookings:cancel", booking_secret)


def _cancel(request: HttpRequest, booking: Booking, line_ids: list[int]) -> HttpResponse:
    expected = Money(forms.number(request.POST.get("back_minor", "")), booking.currency)
    try:
        cancellations.cancel(
            booking_id=booking.pk,
            line_ids=line_ids,
            wish=cancellations.Wish(Cause.FAN, cancellations.THE_FAN),
            at=timezone.now(),
            expected=expected,
        )
    except AnotherRefund:
        messages.error(request, _("What goes back has changed: please look at it again."))
        return _page(request, booking, line_ids)
    except NotCancellable:
        messages.error(request, _("Some of these tickets were cancelled already, or it is late."))
        return redirect("bookings:cancel", booking.secret)
    messages.success(request, _("Cancelled. A mail with all of this is on its way to you."))
    return redirect("bookings:booking", booking.secret)


def _page(request: HttpRequest, booking: Booking, line_ids: list[int]) -> HttpResponse:
    context = pages.booking_page(booking) | {"choices": cancelling.choices(booking, line_ids)}
    status = 200
    if request.method == "POST":
        try:
            preview = cancellations.preview(booking=booking, line_ids=line_ids)
            context["preview"] = cancelling.shown(preview)
        except NotCancellable:
            context["problem"] = _("Choose at least one ticket that is still yours.")
            status = 400
    response = render(request, "bookings/cancel.html", context, status=status)
    # Without any referrer browsers send forms from nowhere, which are refused as forged.
    response["Referrer-Policy"] = "same-origin"
    return response
