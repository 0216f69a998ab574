"""The page where staff cancel tickets of a booking: a reason, a look at the money, a click."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from bookings import cancelling
from bookings.errors import AnotherRefund, NotCancellable
from bookings.models import Booking, BookingState, Cause
from bookings.services import cancellations
from ticketing.kernel.acting import Actor
from ticketing.kernel.money import Money

MAY_CANCEL = "bookings.cancel_booking"


class CancelForm(forms.Form):
    lines = forms.TypedMultipleChoiceField(
        coerce=int, label=gettext_lazy("Tickets"), widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    why = forms.CharField(
        max_length=500, label=gettext_lazy("Why"), widget=UnfoldAdminTextInputWidget
    )
    in_full = forms.BooleanField(
        required=False,
        label=gettext_lazy("Keep nothing"),
        help_text=gettext_lazy("Give back what the policy would keep, too."),
        widget=UnfoldBooleanWidget,
    )
    # What was shown to go back; empty before it was.
    back_minor = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, booking: Booking, data: Any = None) -> None:
        super().__init__(data)
        field = self.fields["lines"]
        field.choices = [  # type: ignore[attr-defined]
            (each["id"], f"{each['place']}, {each['fare']} ({each['paid']})")
            for each in cancelling.choices(booking, [])
        ]


def may_cancel(request: HttpRequest, booking: Booking) -> bool:
    return booking.state == BookingState.CONFIRMED and bool(request.user.has_perm(MAY_CANCEL))


def page(request: HttpRequest, booking: Booking, site: AdminSite) -> HttpResponse:
    """Show the form; what goes back once it is filled in; cancel when that is confirmed."""
    back = HttpResponseRedirect(reverse("admin:bookings_booking_change", args=[booking.pk]))
    if not request.user.has_perm(MAY_CANCEL):
        raise PermissionDenied
    if booking.state != BookingState.CONFIRMED:
        messages.warning(request, _("There is nothing to cancel in this booking."))
        return back
    form = CancelForm(booking, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {
        **site.each_context(request),
        "title": _("Cancel tickets"),
        "opts": Booking._meta,
        "booking": booking,
        "form": form,
    }
    if form.is_valid():
        said = form.cleaned_data
        confirmed = "confirm" in request.POST and said["back_minor"] is not None
        if confirmed and _cancel(request, booking, said):
            return back
        try:
            preview = cancellations.preview(
                booking=booking, line_ids=said["lines"], in_full=said["in_full"]
            )
        except NotCancellable:
            messages.error(request, _("Some of these tickets were cancelled meanwhile."))
            return HttpResponseRedirect(request.path)
        context["preview"] = cancelling.shown(preview)
    return TemplateResponse(request, "admin/bookings/booking/cancel.html", context)


def _cancel(request: HttpRequest, booking: Booking, said: dict[str, Any]) -> bool:
    by = Actor(user_id=request.user.pk)
    try:
        made = cancellations.cancel(
            booking_id=booking.pk,
            line_ids=said["lines"],
            wish=cancellations.Wish(Cause.STAFF, by, said["why"], in_full=said["in_full"]),
            at=timezone.now(),
            expected=Money(said["back_minor"], booking.currency),
        )
    except AnotherRefund:
        messages.error(request, _("What goes back has changed: look at it again."))
        return False
    except NotCancellable:
        return False
    text = _("Cancelled; the fan gets a mail.") if made else _("They were cancelled before.")
    messages.success(request, text)
    return True
