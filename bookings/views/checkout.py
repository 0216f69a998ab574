"""Who is coming, and the way to the payment provider and back."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from bookings import forms, letters, pages, selectors
from bookings.errors import AddressLimitReached, BookingLapsed, CalledOff
from bookings.models import Booking, BookingState
from bookings.services import checkout as saga
from bookings.services import paying
from bookings.views.doors import booking_behind, own_hold, private, secret
from events import terms
from inventory import selectors as inventory
from inventory.errors import HoldLost
from payments.errors import OutcomeUnknown, ProviderRejected


@require_http_methods(["GET", "HEAD", "POST"])
@private
def checkout(request: HttpRequest, reference: UUID) -> HttpResponse:
    """Ask who is coming; then start the booking and send the fan to pay."""
    hold = own_hold(request, reference)
    if not hold.is_live:
        return redirect("bookings:hold", reference)
    form = forms.BuyerForm(
        request.POST if request.method == "POST" else None, initial=_known_buyer(hold)
    )
    if not form.is_valid():
        status = 400 if form.is_bound else 200
        return _page(request, hold, form, problem=_problem(hold), status=status)
    try:
        _check_agreed(request, hold)
        booking = saga.start(
            hold=hold,
            name=form.cleaned_data["name"],
            email=form.cleaned_data["email"],
            terms=terms.of(hold.event_id),
        )
        return _pay(booking, reference)
    except (HoldLost, BookingLapsed, CalledOff) as refusal:
        if isinstance(refusal, CalledOff):
            text = _("This event was called off meanwhile. Nothing was charged; you may let go.")
            messages.error(request, text)
        return redirect("bookings:hold", reference)
    except AddressLimitReached as refusal:
        form.add_error("email", pages.address_limit(refusal))
        return _page(request, hold, form, problem="limit", status=409)
    except ProviderRejected:
        return _page(request, hold, form, problem="unreachable", status=502)


def _check_agreed(request: HttpRequest, hold: inventory.HoldView) -> None:
    """Insist that the fan pays for what his page showed him. Raises HoldLost."""
    now = pages.agreed(hold, inventory.lines(hold.id))
    if request.POST.get("agreed", now) != now:
        text = _("Your seats or their prices changed meanwhile. Please look at them once more.")
        messages.info(request, text)
        raise HoldLost(f"hold {hold.id} was changed since it was shown")


def _pay(booking: Booking, reference: UUID) -> HttpResponse:
    """To the provider's page; to the booking's own when there is nothing to pay, or no answer."""
    event = pages.event_of(booking.event_id)
    payment = paying.pay(
        booking=booking,
        description=_("%(event)s, booking %(reference)s")
        % {"event": event.title, "reference": booking.reference},
        addresses=paying.Addresses(
            paid=letters.link("bookings:return", booking.secret),
            cancelled=letters.link("bookings:checkout", reference),
        ),
    )
    return redirect(payment.checkout_url or reverse("bookings:booking", args=[booking.secret]))


@require_safe
@secret
def come_back(request: HttpRequest, booking_secret: str) -> HttpResponse:
    """Where the provider sends the fan: ask how it went, and settle what it says."""
    booking = booking_behind(booking_secret)
    # Without an answer the booking's page says that we are checking, and reconciliation does.
    with suppress(OutcomeUnknown, ProviderRejected):
        booking = paying.refresh(booking=booking)
    fresh = "?fresh=1" if booking.state == BookingState.CONFIRMED else ""
    return redirect(reverse("bookings:booking", args=[booking.secret]) + fresh)


def _page(
    request: HttpRequest,
    hold: inventory.HoldView,
    form: forms.BuyerForm,
    *,
    problem: str,
    status: int,
) -> HttpResponse:
    context = pages.hold_page(hold, inventory.lines(hold.id)) | {"form": form, "problem": problem}
    return render(request, "bookings/checkout.html", context, status=status)


def _known_buyer(hold: inventory.HoldView) -> dict[str, str]:
    """What the fan said before he went to pay and came back."""
    booking = selectors.of_hold(hold.id)
    return {"name": booking.name, "email": booking.email} if booking else {}


def _problem(hold: inventory.HoldView) -> str:
    """A card that was refused at the provider, when the fan came back from there."""
    booking = selectors.of_hold(hold.id)
    return "declined" if booking and paying.was_declined(booking=booking) else ""
