"""Placing a hold, and "your seats"."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from bookings import forms, pages, selectors, visitors
from bookings.services import paying
from bookings.views.doors import own_hold, patient, private
from bookings.visitors import Visitor
from events import carried, terms
from events import selectors as events
from events.selectors import EventView
from events.terms import Terms
from inventory import selectors as inventory
from inventory import views as inventory_views
from inventory.errors import (
    AccessNeeded,
    AccessUsedUp,
    AlreadyHolding,
    BadWish,
    HoldEnded,
    HoldLost,
    LimitReached,
    NoSuchPrice,
    PaymentStarted,
    PlacesTaken,
    SaleClosed,
)
from inventory.services import fares, holds, placing
from inventory.services.grants import Granted
from inventory.wishes import Wish
from ticketing.kernel import times
from ticketing.kernel.idempotency import KeyReused

REFUSALS = (
    forms.BadForm,
    AccessUsedUp,
    BadWish,
    KeyReused,
    LimitReached,
    PlacesTaken,
    SaleClosed,
)
# A form sent once more after its hold was let go means: hold them again.
MOST_ROUNDS = 20


@require_POST
@patient
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
        wish = forms.read_wish(request.POST)
        placed = _place(sale, fan, forms.read_key(request.POST), wish)
    except AlreadyHolding as holding:
        text = _("You hold these seats already: go on with them, or let them go to choose others.")
        messages.info(request, text)
        return redirect("bookings:hold", holding.reference)
    except REFUSALS as refusal:
        return _again(request, slug, wish, refusal)
    fan.keep()
    return redirect("bookings:hold", placed.reference)


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
@patient
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
@patient
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
@patient
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
    except (NoSuchPrice, forms.BadForm):
        messages.error(request, _("That price is not offered for this seat. Choose another one."))
    return redirect("bookings:hold", reference)


def _again(request: HttpRequest, slug: str, wish: Wish, refusal: Exception) -> HttpResponse:
    """The page where the fan chose, with the choice kept and the refusal said."""
    event = events.event_by_slug(slug, at=timezone.now())
    if event is None:
        raise Http404
    problem, status = _said(event, refusal)
    taken = refusal.seat_ids if isinstance(refusal, PlacesTaken) else frozenset[int]()
    section = request.POST.get("section", "")
    if section:
        return inventory_views.render_section(
            request,
            slug=event.slug,
            section_slug=section,
            picked=set(wish.seat_ids) - taken,
            taken=taken,
            problem=problem,
            status=status,
        )
    quantities: dict[int, dict[int, int]] = {}
    for asked in wish.pools:
        if asked.fare_id:
            quantities.setdefault(asked.pool_id, {})[asked.fare_id] = asked.places
    return inventory_views.render_event(
        request, slug=event.slug, problem=problem, quantities=quantities, status=status
    )


def _said(event: EventView, refusal: Exception) -> tuple[str, int]:
    """A refusal in words a fan can act on, and the status that goes with it."""
    match refusal:
        case forms.BadForm():
            return refusal.text, 400
        case PlacesTaken():
            return _taken(refusal), 409
        case LimitReached():
            return _limit(refusal), 409
        case AccessUsedUp():
            return _(
                "Your presale code is in use already, and it is good for no more purchases. When"
                " seats that were held with it are let go, it works again."
            ), 409
        case SaleClosed():
            return _closed(event, refusal), 409
        case _:
            return _(
                "Some of these places are not sold here. Load the page again, please, and choose."
            ), 400


def _taken(refusal: PlacesTaken) -> str:
    names = inventory.seat_labels(refusal.seat_ids).values()
    if not names:
        return _("So many places are not free any more. Ask for fewer, or look again in a minute.")
    said = ngettext(
        "Somebody was faster: %(seats)s was just taken. Your other seats are still ticked.",
        "Somebody was faster: these were just taken: %(seats)s. Your other seats are still ticked.",
        len(names),
    )
    return said % {"seats": "; ".join(names)}


def _limit(refusal: LimitReached) -> str:
    left = max(0, refusal.limit - refusal.owned)
    if not left:
        return _("You have all the %(limit)s places that one person can have here.") % {
            "limit": refusal.limit
        }
    return _(
        "One person can have %(limit)s places here. You chose %(asked)s; choose %(left)s or fewer."
    ) % {"limit": refusal.limit, "asked": refusal.asked, "left": left}


def _closed(event: EventView, refusal: SaleClosed) -> str:
    if isinstance(refusal, AccessNeeded):
        return _(
            "This is a presale: please show your code on the page of the event. Nothing was held."
        )
    if refusal.opens_at:
        when = times.spoken(refusal.opens_at, event.time_zone)
        return _("The sale is not open yet. It opens on %(when)s.") % {"when": when}
    return _("These places are not on sale now. Nothing was held.")
