"""The event, the map of the house, and the seats of a section: pages that anybody may look at."""

from collections.abc import Collection

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from events import selectors as events
from events.selectors import EventView
from inventory import pages, selectors
from inventory.pages import Problem, Quantities
from inventory.selectors import HoldView
from venues import selectors as venues
from venues.seatmaps import Kind


@require_safe
@gzip_page
def event(request: HttpRequest, slug: str) -> HttpResponse:
    return render_event(request, slug=slug)


@require_safe
@gzip_page
def seats(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview: real links to sections, and the same as a list."""
    found = _with_seats(slug)
    context = pages.overview(found, own=_own_hold(request, found))
    return render(request, "inventory/seatmap.html", context)


@require_safe
@gzip_page
def section(request: HttpRequest, slug: str, section_slug: str) -> HttpResponse:
    return render_section(request, slug=slug, section_slug=section_slug)


def render_event(
    request: HttpRequest,
    *,
    slug: str,
    quantities: Quantities | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The event's page, also with what a fan asked for and why it could not be."""
    context = pages.event_page(_event(slug), quantities=quantities or {}, problem=_problem(problem))
    return render(request, "inventory/event.html", context, status=status)


def render_section(
    request: HttpRequest,
    *,
    slug: str,
    section_slug: str,
    picked: Collection[int] = (),
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
    context = pages.section_page(
        found,
        drawn,
        own=_own_hold(request, found),
        picked=picked,
        taken=taken,
        problem=_problem(problem),
    )
    return render(request, "inventory/section.html", context, status=status)


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


def _own_hold(request: HttpRequest, found: EventView) -> HoldView | None:
    """What this fan holds here, if a door above has said who he is."""
    visitor = getattr(request, "visitor", None)
    owner = visitor.owner_if_known if visitor else None
    return selectors.live_hold(event_id=found.id, owner=owner) if owner else None


def _problem(text: str) -> Problem:
    return {"title": _("That did not work"), "text": text} if text else None
