"""What a hall looks like: frozen values, kept in memory since published geometry never changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from django.db.models import Avg, Count, QuerySet

from venues import geometry
from venues.models import Row, Seat, SeatMap, SeatMapState, Section
from venues.seatmaps import Category, Kind, Plan, Point, Shape
from venues.seatmaps import Row as PlanRow
from venues.seatmaps import Seat as PlanSeat
from venues.seatmaps import Section as PlanSection


@dataclass(frozen=True, slots=True)
class SectionDrawing:
    """A section as the overview shows it; `places` counts its seats, or who may stand there."""

    id: int
    name: str
    slug: str
    kind: Kind
    outline: tuple[Point, ...]
    label_at: Point
    places: int
    category: str


@dataclass(frozen=True, slots=True)
class MapDrawing:
    id: int
    venue_id: int
    name: str
    version: int
    content_hash: str
    width: float
    height: float
    seat_count: int
    categories: tuple[Category, ...]
    shapes: tuple[Shape, ...]
    # In the order in which they are listed.
    sections: tuple[SectionDrawing, ...]

    def section(self, slug: str) -> SectionDrawing | None:
        return next((section for section in self.sections if section.slug == slug), None)


@dataclass(frozen=True, slots=True)
class SeatDrawing:
    id: int
    guid: str
    number: str
    category: str
    x: float
    y: float
    # The order in the whole map, from 0.
    index: int
    is_wheelchair: bool


@dataclass(frozen=True, slots=True)
class RowDrawing:
    """A row from left to right; an aisle is between two segments."""

    id: int
    label: str
    segments: tuple[tuple[SeatDrawing, ...], ...]


def drawing(seat_map_id: int) -> MapDrawing:
    """The hall without its seats. Raises SeatMap.DoesNotExist."""
    seat_map = SeatMap.objects.only("state", "content_hash").get(pk=seat_map_id)
    if seat_map.state == SeatMapState.DRAFT:
        return _drawing(seat_map_id)
    return _drawing_forever(seat_map_id, seat_map.content_hash)


def rows(section_id: int) -> tuple[RowDrawing, ...]:
    """The seats of a section. Raises Section.DoesNotExist."""
    seat_map = Section.objects.select_related("seat_map").get(pk=section_id).seat_map
    if seat_map.state == SeatMapState.DRAFT:
        return _rows(section_id)
    return _rows_forever(section_id, seat_map.content_hash)


def plan(seat_map_id: int) -> Plan:
    """The map as a document, as it stands in the database. Raises SeatMap.DoesNotExist."""
    seat_map = SeatMap.objects.get(pk=seat_map_id)
    found: dict[int, list[PlanRow]] = {}
    for row, seats in _by_row(Seat.objects.filter(seat_map=seat_map)):
        segments = (
            tuple(
                PlanSeat(s.guid, s.number, s.category, s.x, s.y, s.is_wheelchair) for s in segment
            )
            for _, segment in groupby(seats, key=lambda seat: seat.segment)
        )
        found.setdefault(row.section_id, []).append(PlanRow(row.label, tuple(segments)))
    return Plan(
        name=seat_map.name,
        width=seat_map.width,
        height=seat_map.height,
        categories=_categories(seat_map),
        shapes=_shapes(seat_map),
        sections=tuple(
            PlanSection(
                name=section.name,
                slug=section.slug,
                outline=_points(section.outline),
                rows=tuple(found.get(section.pk, [])),
                kind=Kind(section.kind),
                capacity=section.capacity,
                category=section.category,
            )
            for section in seat_map.sections.order_by("rank")
        ),
    )


@lru_cache(maxsize=64)
def _drawing_forever(seat_map_id: int, _content_hash: str) -> MapDrawing:
    return _drawing(seat_map_id)


@lru_cache(maxsize=1024)
def _rows_forever(section_id: int, _content_hash: str) -> tuple[RowDrawing, ...]:
    return _rows(section_id)


def _drawing(seat_map_id: int) -> MapDrawing:
    seat_map = SeatMap.objects.get(pk=seat_map_id)
    counts: dict[int, int] = {}
    centres: dict[int, Point] = {}
    for section_id, count, x, y in (
        Seat.objects.filter(seat_map=seat_map)
        .values_list("row__section_id")
        .annotate(Count("pk"), Avg("x"), Avg("y"))
    ):
        counts[section_id], centres[section_id] = count, (round(x, 2), round(y, 2))
    sections = seat_map.sections.order_by("rank")
    return MapDrawing(
        id=seat_map.pk,
        venue_id=seat_map.venue_id,
        name=seat_map.name,
        version=seat_map.version,
        content_hash=seat_map.content_hash,
        width=seat_map.width,
        height=seat_map.height,
        seat_count=sum(counts.values()),
        categories=_categories(seat_map),
        shapes=_shapes(seat_map),
        sections=tuple(
            SectionDrawing(
                id=section.pk,
                name=section.name,
                slug=section.slug,
                kind=Kind(section.kind),
                outline=_points(section.outline),
                label_at=_label_at(centres.get(section.pk), _points(section.outline)),
                places=counts.get(section.pk, section.capacity),
                category=section.category,
            )
            for section in sections
        ),
    )


def _rows(section_id: int) -> tuple[RowDrawing, ...]:
    found = []
    for row, seats in _by_row(Seat.objects.filter(row__section_id=section_id)):
        segments = (
            tuple(
                SeatDrawing(s.pk, s.guid, s.number, s.category, s.x, s.y, s.index, s.is_wheelchair)
                for s in segment
            )
            for _, segment in groupby(seats, key=lambda seat: seat.segment)
        )
        found.append(RowDrawing(row.pk, row.label, tuple(segments)))
    return tuple(found)


def _by_row(seats: QuerySet[Seat]) -> Iterator[tuple[Row, list[Seat]]]:
    in_order = seats.select_related("row").order_by("index")
    for _, group in groupby(in_order, key=lambda seat: seat.row_id):
        row_seats = list(group)
        yield row_seats[0].row, row_seats


def _categories(seat_map: SeatMap) -> tuple[Category, ...]:
    return tuple(Category(**category) for category in seat_map.categories)


def _shapes(seat_map: SeatMap) -> tuple[Shape, ...]:
    return tuple(
        Shape(
            points=_points(shape["points"]),
            color=shape["color"],
            text=shape["text"],
            text_at=_points([shape["text_at"]])[0],
        )
        for shape in seat_map.shapes
    )


def _points(listed: Any) -> tuple[Point, ...]:
    return tuple((x, y) for x, y in listed)


def _label_at(centre: Point | None, outline: tuple[Point, ...]) -> Point:
    """The middle of the seats; where that is outside of a bent section, its roomiest place."""
    if centre and (not outline or geometry.contains(outline, centre)):
        return centre
    return geometry.roomiest(outline) if outline else (0.0, 0.0)
