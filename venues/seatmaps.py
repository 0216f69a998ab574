"""A seat map as a document: the values that are read from a file, drawn, compared and hashed. Pure.

Coordinates are in the plan's own units, from its upper left corner, y downwards.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

Point = tuple[float, float]


class Kind(StrEnum):
    SEATED = "seated"
    STANDING = "standing"


@dataclass(frozen=True, slots=True)
class Category:
    name: str
    color: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """Something drawn and not sold: the stage, a pillar; without points, a text alone."""

    points: tuple[Point, ...] = ()
    color: str = ""
    text: str = ""
    text_at: Point = (0, 0)


@dataclass(frozen=True, slots=True)
class Seat:
    guid: str
    number: str
    category: str
    x: float
    y: float
    is_wheelchair: bool = False

    @property
    def at(self) -> Point:
        return self.x, self.y


@dataclass(frozen=True, slots=True)
class Row:
    """One row as people count it; seats of a segment have no aisle between them."""

    label: str
    segments: tuple[tuple[Seat, ...], ...]

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(seat for segment in self.segments for seat in segment)


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    slug: str
    outline: tuple[Point, ...]
    rows: tuple[Row, ...] = ()
    kind: Kind = Kind.SEATED
    # Both only of a standing area.
    capacity: int = 0
    category: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole hall; the order of sections, rows and seats is the order in which they are listed."""

    name: str
    width: float
    height: float
    categories: tuple[Category, ...]
    shapes: tuple[Shape, ...]
    sections: tuple[Section, ...]

    @property
    def rows(self) -> Iterator[Row]:
        return (row for section in self.sections for row in section.rows)

    @property
    def seats(self) -> Iterator[Seat]:
        return (seat for row in self.rows for seat in row.seats)


def canonical(plan: Plan) -> str:
    """The plan as JSON, the same text for the same plan. Its name is not part of it."""
    return json.dumps(
        replace(plan, name=""), default=_fields, sort_keys=True, separators=(",", ":")
    )


def _fields(value: Any) -> dict[str, Any]:
    # Not `asdict`, which copies a whole hall, seat by seat, at several times the cost.
    return {name: getattr(value, name) for name in value.__slots__}


def content_hash(plan: Plan) -> str:
    return hashlib.sha256(canonical(plan).encode()).hexdigest()


def fitted(plan: Plan) -> Plan:
    """The plan, moved and made larger where something would lie outside of it."""
    drawn = [point for section in plan.sections for point in section.outline]
    drawn += [point for shape in plan.shapes for point in (*shape.points, shape.text_at)]
    xs, ys = [0.0, *(x for x, _ in drawn)], [0.0, *(y for _, y in drawn)]
    left, top = min(xs), min(ys)

    def moved(points: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple((round(x - left, 2), round(y - top, 2)) for x, y in points)

    def moved_row(row: Row) -> Row:
        segments = (
            tuple(replace(s, x=round(s.x - left, 2), y=round(s.y - top, 2)) for s in segment)
            for segment in row.segments
        )
        return replace(row, segments=tuple(segments))

    return replace(
        plan,
        width=round(max(plan.width, *xs, 1.0) - left, 2),
        height=round(max(plan.height, *ys, 1.0) - top, 2),
        shapes=tuple(
            replace(shape, points=moved(shape.points), text_at=moved((shape.text_at,))[0])
            for shape in plan.shapes
        ),
        sections=tuple(
            replace(
                section,
                outline=moved(section.outline),
                rows=tuple(moved_row(row) for row in section.rows),
            )
            for section in plan.sections
        ),
    )
