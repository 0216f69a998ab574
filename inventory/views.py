"""The event, the map of the house, and the seats of a section: pages that anybody may look at."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from events import carried, terms
from events import selectors as events
from events.errors import CodeRefused
from events.selectors import EventView
from events.status import Status
from inventory import pages, selectors
from inventory.pages import Fan, Quantities
from inventory.services import access
from ticketing.kernel import addresses, attempts
from venues import selectors as venues
from venues.seatmaps import Kind

# What a bigint can always hold.
ID_DIGITS = 18
# Seconds after which a store that did not answer may be asked again.
SOON = 30


@require_safe
@gzip_page
def event(request: HttpRequest, slug: str) -> HttpResponse:
    return render_event(request, slug=slug)


@require_safe
@gzip_page
def seats(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview: real links to sections, and the same as a list."""
    found = _with_seats(slug)
    fan = _fan(request, found)
    return _page(request, "seatmap", pages.overview(found, fan=fan), fan=fan)


@require_safe
@gzip_page
def section(request: HttpRequest, slug: str, section_slug: str) -> HttpResponse:
    """The seats; who comes from a refusal finds his choice ticked and reads who was faster."""
    return render_section(
        request,
        slug=slug,
        section_slug=section_slug,
        picked=_seats_named(request, "picked"),
        taken=_seats_named(request, "taken") or (),
    )


@sensitive_post_parameters("code")
@require_POST
@never_cache
def show_code(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the browser carry a presale code from now on, or say kindly that it opens nothing."""
    found = _event(slug)
    try:
        carries = access.redeem(
            event_id=found.id,
            code=request.POST.get("code", ""),
            browser=_owner(request) or "",
            network=addresses.network(request),
            at=timezone.now(),
        )
    except CodeRefused:
        return render_event(request, slug=slug, code_problem=pages.CODE_REFUSED, status=400)
    except attempts.TooManyAttempts as refusal:
        text = pages.too_many_codes(refusal.retry_after)
        response = render_event(request, slug=slug, code_problem=text, status=429)
        response["Retry-After"] = str(refusal.retry_after)
        return response
    except attempts.CannotCount:
        response = render_event(request, slug=slug, code_problem=pages.CODE_UNCHECKED, status=503)
        response["Retry-After"] = str(SOON)
        return response
    response = redirect(found.url)
    carried.keep(response, slug, code_id=carries.code_id, until=carries.closes_at)
    messages.success(request, _("Your code is right: you may choose your seats now."))
    return response


def render_event(
    request: HttpRequest,
    *,
    slug: str,
    quantities: Quantities | None = None,
    problem: str = "",
    code_problem: str | Promise = "",
    status: int = 200,
) -> HttpResponse:
    """The event's page, also with what a fan asked for and why it could not be."""
    found = _event(slug)
    fan = _fan(request, found)
    context = pages.event_page(
        found,
        fan=fan,
        quantities=quantities or {},
        problem=pages.problem_of(problem),
        code_problem=code_problem,
    )
    return _page(request, "event", context, fan=fan, status=status)


def render_section(
    request: HttpRequest,
    *,
    slug: str,
    section_slug: str,
    picked: Collection[int] | None = None,
    taken: Collection[int] = (),
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The section's page, also with what a fan ticked and why it could not be held."""
    found = _with_seats(slug)
    drawn = venues.drawing(found.seat_map_id).section(section_slug) if found.seat_map_id else None
    if drawn is None:
        raise Http404
    if drawn.kind == Kind.STANDING:
        return redirect(f"{found.url}#places")
    fan = _fan(request, found)
    context = pages.section_page(
        found,
        drawn,
        fan=fan,
        picked=picked,
        taken=taken,
        problem=pages.problem_of(problem),
    )
    return _page(request, "section", context, fan=fan, status=status)


def _seats_named(request: HttpRequest, name: str) -> set[int] | None:
    """Ids in the page's address; what is not an id names no seat."""
    if name not in request.GET:
        return None
    parts = request.GET[name].split(",")
    return {
        int(part)
        for part in parts
        if part.isascii() and part.isdecimal() and len(part) <= ID_DIGITS
    }


def _event(slug: str) -> EventView:
    found = events.event_by_slug(slug, at=timezone.now())
    if found is None:
        raise Http404
    return found


def _with_seats(slug: str) -> EventView:
    found = _event(slug)
    if found.seat_map_id is None or not found.is_opened:
        raise Http404
    return found


def _fan(request: HttpRequest, found: EventView) -> Fan:
    """What this fan holds here, if a door above has said who he is, and the code he carries."""
    visitor = getattr(request, "visitor", None)
    own = selectors.live_hold(event_id=found.id, names=visitor.names if visitor else ())
    code_id = carried.code_of(request, found.slug) if found.status == Status.PRESALE else None
    if code_id is None:
        return Fan(own=own)
    sale = terms.of(found.id, access=code_id)
    return Fan(own=own, has_code=sale.is_open(timezone.now()))


def _owner(request: HttpRequest) -> str | None:
    """Who counts as this browser, if a door above can tell; it is known by that from now on."""
    visitor = getattr(request, "visitor", None)
    if visitor is None:
        return None
    visitor.keep()
    return str(visitor.owner)


def _page(
    request: HttpRequest, name: str, context: dict[str, Any], *, fan: Fan, status: int = 200
) -> HttpResponse:
    """A page for everybody, or for one fan alone: caches are told which it is."""
    response = render(request, f"inventory/{name}.html", context, status=status)
    # Which of the two it is hangs on the cookies.
    patch_vary_headers(response, ["Cookie"])
    if fan.is_known:
        add_never_cache_headers(response)
    return response
