"""Seat maps come in as drafts and are published as versions that never change."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from venues import seatmaps, selectors, usage
from venues.errors import Incomplete, NotADraft, SeatsWouldVanish
from venues.models import Row, Seat, SeatMap, SeatMapState, Section, Venue
from venues.seatmaps import Plan

BATCH = 2000


@dataclass(frozen=True, slots=True)
class Imported:
    """The version that has this content; `is_new` is False if it was there before."""

    seat_map_id: int
    name: str
    version: int
    is_new: bool


def import_plan(*, venue_id: int, plan: Plan, name: str = "") -> Imported:
    """Write a plan down as a draft: the next version of its name in this venue.

    A plan that a version of this name has already changes nothing. Raises Incomplete, with
    nothing written, if the database has not got every seat.
    """
    name = name or plan.name
    digest = seatmaps.content_hash(plan)
    with transaction.atomic(durable=True):
        # One import at a time, so that versions count without a gap or a clash.
        venue = Venue.objects.select_for_update().get(pk=venue_id)
        versions = SeatMap.objects.filter(venue=venue, name=name).order_by("-version")
        same = versions.filter(content_hash=digest).exclude(state=SeatMapState.RETIRED).first()
        if same:
            return Imported(same.pk, name, same.version, is_new=False)
        newest = versions.first()
        seat_map = SeatMap.objects.create(
            venue=venue,
            name=name,
            version=newest.version + 1 if newest else 1,
            content_hash=digest,
            width=plan.width,
            height=plan.height,
            shapes=[asdict(shape) for shape in plan.shapes],
            categories=[asdict(category) for category in plan.categories],
        )
        _write(seat_map, plan)
        if seatmaps.content_hash(selectors.plan(seat_map.pk)) != digest:
            raise Incomplete(name)
    return Imported(seat_map.pk, name, seat_map.version, is_new=True)


def publish(*, seat_map_id: int, at: datetime) -> bool:
    """Make a draft a version that never changes again and that events may use.

    False if it is published already. Raises NotADraft if it is retired, and SeatsWouldVanish if it
    lacks seats of other versions that somebody holds or owns.
    """
    with transaction.atomic(durable=True):
        seat_map = SeatMap.objects.select_for_update().get(pk=seat_map_id)
        if seat_map.state == SeatMapState.PUBLISHED:
            return False
        plan = selectors.plan(seat_map_id)
        missing = usage.needed_guids(seat_map.venue_id, seat_map.name) - {
            seat.guid for seat in plan.seats
        }
        if missing:
            raise SeatsWouldVanish(missing)
        if not SeatMap.objects.filter(pk=seat_map_id).move_to(
            SeatMapState.PUBLISHED, published_at=at, content_hash=seatmaps.content_hash(plan)
        ):
            raise NotADraft(str(seat_map))
    return True


def _write(seat_map: SeatMap, plan: Plan) -> None:
    sections = Section.objects.bulk_create(_sections(seat_map, plan))
    rows = Row.objects.bulk_create(
        (
            Row(section=made, label=row.label, rank=rank)
            for made, section in zip(sections, plan.sections, strict=True)
            for rank, row in enumerate(section.rows)
        ),
        batch_size=BATCH,
    )
    Seat.objects.bulk_create(_seats(seat_map, rows, plan), batch_size=BATCH)


def _sections(seat_map: SeatMap, plan: Plan) -> Iterator[Section]:
    for rank, section in enumerate(plan.sections):
        yield Section(
            seat_map=seat_map,
            name=section.name,
            slug=section.slug,
            kind=section.kind.value,
            rank=rank,
            outline=section.outline,
            capacity=section.capacity,
            category=section.category,
        )


def _seats(seat_map: SeatMap, rows: list[Row], plan: Plan) -> Iterator[Seat]:
    index = 0
    for made, row in zip(rows, plan.rows, strict=True):
        position = 0
        for number, segment in enumerate(row.segments):
            for seat in segment:
                yield Seat(
                    seat_map=seat_map,
                    row=made,
                    segment=number,
                    position=position,
                    index=index,
                    guid=seat.guid,
                    number=seat.number,
                    category=seat.category,
                    x=seat.x,
                    y=seat.y,
                    is_wheelchair=seat.is_wheelchair,
                )
                position += 1
                index += 1
