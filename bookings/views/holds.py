"""Placing a hold, and "your seats"."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from bookings import forms, pages, refusals, selectors, visitors
from bookings.services import paying
from bookings.views.doors import own_hold, private
from bookings.visitors import Visitor
from events import carried, terms
from events.terms import Terms
from inventory import selectors as inventory
from inventory.errors import (
    AlreadyHolding,
    BadWish,
    BrokenTickets,
    HoldEnded,
    HoldLost,
    NoSuchPrice,
    PaymentStarted,
    PlacesTaken,
)
from inventory.services import changing, fares, holds, placing
from inventory.services.grants import Granted
from inventory.wishes import Wish

# A form sent once more after its hold was let go means: hold them again.
MOST_ROUNDS = 20


@require_POST
@private
def place(request: HttpRequest, slug: str) -> HttpResponse:
    """Hold what the form asks for, or show the same page again and say why not.

    The hottest page of the house: what only a refusal needs is asked for when there is one.
    """
    code = carried.code_of(request, slug)
    try:
        sale = terms.of_slug(slug, access=code) if code else terms.recent(slug)
    except terms.NoSuchEvent:
        raise Http404 from None
    wish = Wish()
    fan = visitors.of(request)
    unclear = selectors.unclear(event_id=sale.event_id, names=fan.names)
    if unclear:
        return redirect("bookings:booking", unclear.secret)
    try:
        wish = forms.read_wish(request.POST, sale)
        placed = _place(sale, fan, forms.read_key(request.POST), wish)
    except AlreadyHolding as holding:
        return _go_on(request, holding.reference)
    except PlacesTaken as refusal:
        # To the gate a fan's other tab is a stranger: what it calls taken may be his own.
        own = inventory.live_hold(event_id=sale.event_id, names=fan.names)
        if own:
            return _go_on(request, own.reference)
        return refusals.again(request, slug, wish, refusal)
    except refusals.REFUSALS as refusal:
        return refusals.again(request, slug, wish, refusal)
    fan.keep()
    return redirect("bookings:hold", placed.reference)


def _go_on(request: HttpRequest, reference: UUID) -> HttpResponse:
    text = _("You hold these seats already: go on with them, change them, or let them go.")
    messages.info(request, text)
    return redirect("bookings:hold", reference)


def _place(sale: Terms, fan: Visitor, key: str, wish: Wish) -> Granted:
    """Place under the form's key with the wish folded in, so that Back and other seats works."""
    key = f"{key}:{wish.fingerprint(sale.event_id)[:16]}"
    for number in range(MOST_ROUNDS):
        try:
            return placing.place(
                terms=sale, owner=fan.owner, also=fan.also, key=f"{key}:{number}", wish=wish
            )
        except HoldEnded as ended:
            last = ended
    raise BadWish(f"the form was sent {MOST_ROUNDS} times") from last


@require_safe
@private
def hold(request: HttpRequest, reference: UUID) -> HttpResponse:
    """Your seats: what they cost, how long they are yours, and the way on."""
    found = own_hold(request, reference)
    booking = selectors.of_hold(found.id)
    if booking and not found.is_live:
        return redirect("bookings:booking", booking.secret)
    context = pages.hold_page(found, inventory.lines(found.id))
    return render(request, "bookings/hold.html", context)


@require_POST
@private
def extend(request: HttpRequest, reference: UUID) -> HttpResponse:
    found = own_hold(request, reference)
    return _change(
        request,
        reference,
        lambda: holds.extend(
            reference=reference, owner=found.owner, terms=terms.of(found.event_id)
        ),
    )


@require_POST
@private
def change(request: HttpRequest, reference: UUID) -> HttpResponse:
    """Other seats in a section or places in a pool, or one line less; all else stays held."""
    found = own_hold(request, reference)
    page = redirect("bookings:hold", reference)
    wish = Wish()
    try:
        sale = terms.of(found.event_id, access=found.access_code_id)
        wish = _changed(found.id, request.POST, sale)
        if not wish.places:
            messages.info(request, _("To give all of them back, let them go."))
            return page
        changing.change(
            reference=reference,
            owner=found.owner,
            terms=sale,
            wish=wish,
            also=visitors.of(request).other_than(found.owner),
        )
    except HoldLost:
        # The page says so by itself.
        return page
    except PaymentStarted:
        messages.info(request, _("The payment has begun, so the seats cannot change any more."))
    except refusals.REFUSALS as refusal:
        return refusals.again(request, pages.event_of(found.event_id).slug, wish, refusal)
    return page


def _changed(hold_id: int, form: QueryDict, sale: Terms) -> Wish:
    """All that the hold shall have. Raises BadForm."""
    if "remove" in form:
        return inventory.wish_of(hold_id, but_line=forms.number(form["remove"]))
    elsewhere = inventory.wish_of(
        hold_id,
        but_section=forms.read_section(form),
        but_pool=forms.number(form["pool"]) if form.get("pool") else 0,
    )
    has = inventory.wish_of(hold_id)
    return forms.read_wish(form, sale, may_be_empty=True).beside(elsewhere, priced_as=has)


@require_POST
@private
def change_fares(request: HttpRequest, reference: UUID) -> HttpResponse:
    found = own_hold(request, reference)
    return _change(
        request,
        reference,
        lambda: fares.change_fares(
            reference=reference,
            owner=found.owner,
            terms=terms.of(found.event_id),
            fares=forms.read_fares(request.POST),
        ),
    )


@require_POST
@private
def release(request: HttpRequest, reference: UUID) -> HttpResponse:
    found = own_hold(request, reference)
    if not paying.let_go(hold=found):
        return redirect("bookings:hold", reference)
    messages.success(request, _("You let your seats go. You pay nothing for them."))
    return redirect(pages.seatmap_url(pages.event_of(found.event_id)))


def _change(request: HttpRequest, reference: UUID, act: Callable[[], object]) -> HttpResponse:
    """Do it and show "your seats" again; a hold that is over says so by itself there."""
    try:
        act()
    except HoldLost:
        pass
    except PaymentStarted:
        messages.info(request, _("The payment has begun, so the prices cannot change any more."))
    except PlacesTaken:
        messages.error(request, _("So many places are not left at that price. Nothing changed."))
    except (BrokenTickets, NoSuchPrice, forms.BadForm):
        messages.error(request, _("That price is not offered for this seat. Choose another one."))
    return redirect("bookings:hold", reference)
