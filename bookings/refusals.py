"""What a fan reads when places could not be held, and where: on the page where he chose them."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from bookings import forms
from events import selectors as events
from events.selectors import EventView
from inventory import views as inventory_views
from inventory.errors import (
    AccessNeeded,
    AccessUsedUp,
    BadWish,
    LimitReached,
    PlacesTaken,
    SaleClosed,
)
from inventory.wishes import Wish
from ticketing.kernel import times
from ticketing.kernel.idempotency import KeyReused

REFUSALS: Final = (
    forms.BadForm,
    AccessUsedUp,
    BadWish,
    KeyReused,
    LimitReached,
    PlacesTaken,
    SaleClosed,
)


def again(request: HttpRequest, slug: str, wish: Wish, refusal: Exception) -> HttpResponse:
    """The page where the fan chose, with the choice kept and the refusal said."""
    section = request.POST.get("section", "")
    if section and isinstance(refusal, PlacesTaken) and refusal.seat_ids:
        # Most of a hot crowd comes this way: an answer that is drawn elsewhere costs nothing here.
        return redirect(_section_url(slug, section, wish, refusal))
    event = events.event_by_slug(slug, at=timezone.now())
    if event is None:
        raise Http404
    problem, status = _said(event, refusal)
    if section:
        return inventory_views.render_section(
            request,
            slug=event.slug,
            section_slug=section,
            picked=wish.seat_ids,
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


def _section_url(slug: str, section: str, wish: Wish, refusal: PlacesTaken) -> str:
    try:
        page = reverse("inventory:section", args=[slug, section])
    except NoReverseMatch:
        raise Http404 from None
    picked = ",".join(str(seat) for seat in wish.seat_ids if seat not in refusal.seat_ids)
    taken = ",".join(str(seat) for seat in sorted(refusal.seat_ids))
    return f"{page}?taken={taken}&picked={picked}"


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
    if refusal.fare_ids:
        return _("So many places are not left at this price. Ask for fewer, or at another price.")
    return _(
        "Somebody was faster: so many places are not free any more. Ask for fewer or others, or"
        " look again in a minute."
    )


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
