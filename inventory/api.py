"""What is free, for other programs: by section, by pool, and seat by seat.

It is as true as a page: a moment old, and whoever wants a place learns the truth by holding it.
"""

from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.http import Http404
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from events import selectors as events
from events.selectors import EventView
from events.status import Status
from inventory import seatmap, selectors
from ticketing.accounts.api import OpenView
from ticketing.kernel.problems import answers
from venues import naming
from venues import selectors as venues
from venues.seatmaps import Kind

# Many ask for the same in one moment; PostgreSQL is asked once.
SECONDS = 2
FRESH = {"Cache-Control": f"public, max-age={SECONDS}"}
STATES = ["available", "taken", "blocked"]


class SectionShape(serializers.Serializer[Any]):
    slug = serializers.SlugField(help_text="Names the section in addresses")
    name = serializers.CharField()
    zones = serializers.ListField(child=serializers.IntegerField(), help_text="Its price zones")
    capacity = serializers.IntegerField()
    free = serializers.IntegerField()


class PoolShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    zone = serializers.IntegerField()
    capacity = serializers.IntegerField()
    free = serializers.IntegerField()


class AvailabilityShape(serializers.Serializer[Any]):
    event = serializers.SlugField()
    status = serializers.ChoiceField(choices=[str(status) for status in Status])
    sections = SectionShape(many=True, help_text="Of numbered seats")
    pools = PoolShape(many=True, help_text="Of places that are only counted")


class SeatShape(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="What to hold it by")
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="As people call it: Row C, seat 12"
    )
    row = serializers.CharField()
    number = serializers.CharField()
    zone = serializers.IntegerField(help_text="Its price zone")
    state = serializers.ChoiceField(choices=STATES)
    is_wheelchair = serializers.BooleanField()


class SectionSeatsShape(serializers.Serializer[Any]):
    event = serializers.SlugField()
    section = serializers.SlugField()
    seats = SeatShape(many=True, help_text="In the order of the hall")


@method_decorator([gzip_page, conditional_page], name="dispatch")
class Availability(OpenView):
    @extend_schema(operation_id="read_availability", responses=answers({200: AvailabilityShape}))
    def get(self, request: Request, slug: str) -> Response:
        """How much is free in each section and pool of an event; a few seconds old at most."""
        return Response(_fresh(slug, lambda: _overview(_event(slug))), headers=FRESH)


@method_decorator([gzip_page, conditional_page], name="dispatch")
class SectionSeats(OpenView):
    @extend_schema(operation_id="list_seats", responses=answers({200: SectionSeatsShape}))
    def get(self, request: Request, slug: str, section_slug: str) -> Response:
        """The seats of one section, each with its state and its price zone."""
        body = _fresh(f"{slug}/{section_slug}", lambda: _seats(_event(slug), section_slug))
        return Response(body, headers=FRESH)


def _fresh(what: str, read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was read a moment ago, or is read now."""
    found: dict[str, Any] | None = cache.get_or_set(f"inventory:api:{what}", read, SECONDS)
    # A cache that is away gives back nothing, not even what was just read.
    return found if found is not None else read()


def _event(slug: str) -> EventView:
    found = events.event_by_slug(slug, at=timezone.now())
    if found is None:
        raise Http404
    return found


def _overview(event: EventView) -> dict[str, Any]:
    drawn = venues.drawing(event.seat_map_id).sections if event.seat_map_id else ()
    levels = {level.section_id: level for level in selectors.levels(event.id)}
    return {
        "event": event.slug,
        "status": str(event.status),
        "sections": [
            {
                "slug": section.slug,
                "name": section.name,
                "zones": sorted(level.zone_ids),
                "capacity": level.capacity,
                "free": level.free,
            }
            for section in drawn
            if (level := levels.get(section.id))
        ],
        "pools": [
            {
                "id": pool.id,
                "name": pool.name,
                "zone": pool.zone_id,
                "capacity": pool.capacity,
                "free": pool.free,
            }
            for pool in selectors.pools(event.id)
        ],
    }


def _seats(event: EventView, section_slug: str) -> dict[str, Any]:
    drawn = venues.drawing(event.seat_map_id) if event.seat_map_id and event.is_opened else None
    section = drawn.section(section_slug) if drawn else None
    if section is None or section.kind == Kind.STANDING:
        raise Http404
    found = selectors.seats(event_id=event.id, section_id=section.id)
    seats = {seat.venue_seat_id: seat for seat in found}
    # Plain values: a section may have thousands, and a serializer takes its time over each.
    return {
        "event": event.slug,
        "section": section.slug,
        "seats": [
            {
                "id": seats[place.id].id,
                "label": naming.seat_name(row.label, place.number),
                "row": row.label,
                "number": place.number,
                "zone": seats[place.id].zone_id,
                "state": seatmap.state(seats[place.id], own_hold_id=None),
                "is_wheelchair": place.is_wheelchair,
            }
            for row in venues.rows(section.id)
            for segment in row.segments
            for place in segment
            if place.id in seats
        ],
    }
