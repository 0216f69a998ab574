"""Reads the pretix seating-plan format, of either age, into a plan. Pure.

The format has no aisles, outlines or standing areas, so they are found or added:
- a gap of more than one and a half times the row's usual one is an aisle, and so is what
  `segment_breaks` of a row says: before which seats, counted from 0 in the file's order;
- rows of one zone that have the same number are one row;
- `wheelchair: true` marks a seat; `standing: {capacity, category, name}` of the plan or of a zone
  is a standing area, drawn as the zone's first area.
Nothing is mended silently: see `Report`.
"""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from math import dist
from statistics import median
from typing import Any

from django.utils.text import slugify

from venues import geometry, seatmaps
from venues.documents import Node
from venues.errors import BadPlan, Problem
from venues.pretix_shapes import read_color, read_shape
from venues.seatmaps import Category, Kind, Plan, Point, Row, Seat, Section, Shape

MAX_SEATS = 100_000
# Of a seat's name the database has room for 100; a suffix may have to be added.
MAX_GUID = 90
STANDARD = "Standard"
NOT_FOR_SALE = re.compile(
    r"not[ _-]?(available|for[ _-]?sale)|unavailable|blocked|\bkill|gesperrt|nicht[ _-]verf",
    re.IGNORECASE,
)
PLAN_KEYS = {"name", "zones", "categories", "size", "standing"}
ZONE_KEYS = {"position", "rows", "name", "zone_id", "uuid", "areas", "displayed", "standing"}
ROW_KEYS = {
    *("row_number", "seats", "position", "row_label", "seat_label", "row_number_position", "uuid"),
    *("number_of_seats", "seats_spacing", "segment_breaks"),
}
SEAT_KEYS = {
    *("seat_guid", "seat_number", "position", "category", "radius", "start_direction", "uuid"),
    "wheelchair",
}


@dataclass(slots=True)
class Report:
    """What somebody who imports a plan should know of it."""

    # Old name and new name of every seat whose name was taken.
    renamed: list[tuple[str, str]] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    tables: int = 0


def read(document: Any, *, leave_out: Collection[str] = ()) -> tuple[Plan, Report]:
    """The plan that a document describes, without seats of the categories to `leave_out`.

    Raises BadPlan, which names where the fault is.
    """
    reader = _Reader(Node.root(document), frozenset(leave_out))
    return reader.plan(), reader.report


Segments = list[tuple[Seat, ...]]


class _Reader:
    """One reading of one document: what has to be known of the whole file is kept here."""

    def __init__(self, root: Node, leave_out: frozenset[str]) -> None:
        self.root = root
        self.leave_out = leave_out
        self.report = Report(unread=root.unread.names)
        self.guids: set[str] = set()
        self.seats: Counter[str] = Counter()
        self.shapes: list[Shape] = []
        # Where a category that is not listed was met first.
        self.unlisted: dict[str, str] = {}
        self.categories = self._categories()

    def plan(self) -> Plan:
        self.root.note_unknown(PLAN_KEYS)
        sections = [*self._sections()]
        self._check_categories()
        if not sections:
            raise BadPlan([Problem("zones", "there is not one place in this plan")])
        self._ask()
        width, height = 0.0, 0.0
        if self.root.has("size"):
            size = self.root.node("size")
            width, height = size.number("width"), size.number("height")
        return seatmaps.fitted(
            Plan(
                name=self.root.text("name", limit=200, default="") or "Plan",
                width=width,
                height=height,
                categories=tuple(
                    c for c in self.categories.values() if c.name not in self.leave_out
                ),
                shapes=tuple(self.shapes),
                sections=self._with_slugs(sections),
            )
        )

    def _categories(self) -> dict[str, Category]:
        found: dict[str, Category] = {}
        for node in self.root.nodes("categories", needed=False):
            node.note_unknown({"name", "color"})
            name = node.text("name", limit=100)
            if not name:
                node.refuse("name", "a category needs a name")
            if name in found:
                self.report.notes.append(f"The category “{name}” is listed twice.")
            found.setdefault(name, Category(name, read_color(node, "color")))
        return found or {STANDARD: Category(STANDARD)}

    def _sections(self) -> Iterator[Section]:
        for number, zone in enumerate(self.root.nodes("zones"), start=1):
            zone.note_unknown(ZONE_KEYS)
            at = zone.point("position", default=(0, 0))
            shapes = [read_shape(area, at) for area in zone.nodes("areas", needed=False)]
            name = zone.text("name", limit=90, default="") or f"Section {number}"
            if zone.has("standing"):
                ground = next((shape for shape in shapes if shape.points), None)
                if ground is None:
                    zone.refuse("standing", "draw its ground: add an area to the zone")
                shapes.remove(ground)
                yield self._standing(zone.node("standing"), name, ground.points)
            self.shapes += shapes
            rows = tuple(self._rows(zone, at, name))
            if rows:
                yield Section(name=name, slug="", outline=_outline(rows), rows=rows)
        if self.root.has("standing"):
            node = self.root.node("standing")
            yield self._standing(node, node.text("name", limit=90, default="Standing"), ())

    def _standing(self, node: Node, name: str, outline: tuple[Point, ...]) -> Section:
        node.note_unknown({"capacity", "category", "name"})
        category = node.text("category", limit=100, default=name)
        self.categories.setdefault(category, Category(category))
        return Section(
            name=name,
            slug="",
            outline=outline,
            kind=Kind.STANDING,
            capacity=node.whole("capacity", low=1, high=1_000_000),
            category=category,
        )

    def _rows(self, zone: Node, at: Point, section: str) -> Iterator[Row]:
        found: dict[str, list[Segments]] = {}
        for number, node in enumerate(zone.nodes("rows"), start=1):
            node.note_unknown(ROW_KEYS)
            label = node.text("row_number", limit=50, default="") or f"({number})"
            if not node.values("seats"):
                self.report.notes.append(f"Row {label} of “{section}” has no seats: left out.")
            segments = self._segments(node, at, label)
            if segments:
                found.setdefault(label, []).append(segments)
        for label, pieces in found.items():
            row = Row(label, tuple(_joined(pieces)))
            numbers = Counter(seat.number for seat in row.seats)
            twice = [number for number, times in numbers.items() if times > 1]
            if twice:
                self.report.questions.append(
                    f"Row {label} of “{section}” has more than one seat {', '.join(twice[:5])}:"
                    " how will people find theirs?"
                )
            yield row

    def _segments(self, node: Node, zone_at: Point, label: str) -> Segments:
        """The seats of one row object in the order of their line, cut at its aisles."""
        x, y = node.point("position", default=(0, 0))
        origin = (zone_at[0] + x, zone_at[1] + y)
        seats = [self._seat(seat, origin) for seat in node.nodes("seats")]
        kept = [i for i, seat in enumerate(seats) if seat.category not in self.leave_out]
        if not kept:
            return []
        order = [kept[i] for i in geometry.in_line([seats[i].at for i in kept])]
        points = [seats[i].at for i in order]
        if geometry.is_table(points):
            self.report.tables += 1
            return [tuple(self._short_numbers([seats[i] for i in kept], label))]
        told = {i for i in node.values("segment_breaks", needed=False) if isinstance(i, int)}
        cuts = geometry.aisles(points) | {
            place
            for place, (a, b) in enumerate(itertools.pairwise(order), start=1)
            if abs(a - b) == 1 and max(a, b) in told
        }
        line = self._short_numbers([seats[i] for i in order], label)
        edges = [0, *sorted(cuts), len(line)]
        return [tuple(line[a:b]) for a, b in itertools.pairwise(edges)]

    def _seat(self, node: Node, origin: Point) -> Seat:
        node.note_unknown(SEAT_KEYS)
        if self.seats.total() >= MAX_SEATS:
            node.refuse("seat_guid", f"more than {MAX_SEATS} seats: split the hall in two")
        guid = node.text("seat_guid", limit=MAX_GUID)
        if not guid:
            node.refuse("seat_guid", "every seat needs a name of its own")
        x, y = node.point("position")
        category = node.text("category", limit=100, default="")
        if category not in self.categories:
            category = self._unlisted(node, category)
        self.seats[category] += 1
        return Seat(
            guid=self._unique(guid),
            number=node.text("seat_number", limit=20),
            category=category,
            x=round(origin[0] + x, 2),
            y=round(origin[1] + y, 2),
            is_wheelchair=node.flag("wheelchair"),
        )

    def _unique(self, guid: str) -> str:
        unique, number = guid, 1
        while unique in self.guids:
            number += 1
            unique = f"{guid}~{number}"
        if unique != guid:
            self.report.renamed.append((guid, unique))
        self.guids.add(unique)
        return unique

    def _short_numbers(self, seats: list[Seat], label: str) -> list[Seat]:
        prefix = f"{label}-"
        if not all(s.number.startswith(prefix) and s.number != prefix for s in seats):
            return seats
        note = "Seat numbers repeat the row (as “17-1” in row 17): they are shown without it."
        if note not in self.report.notes:
            self.report.notes.append(note)
        return [replace(seat, number=seat.number.removeprefix(prefix)) for seat in seats]

    def _unlisted(self, node: Node, category: str) -> str:
        if not category and not self.root.values("categories", needed=False):
            return STANDARD
        self.unlisted.setdefault(category, node.at("category"))
        return category

    def _check_categories(self) -> None:
        problems = [
            Problem(
                where,
                f"the category “{name}” ({self.seats[name]} seats) is not listed in “categories”:"
                " list it there, or correct the seats",
            )
            for name, where in self.unlisted.items()
        ]
        problems += [
            Problem("categories", f"there is no “{name}” to leave out")
            for name in sorted(self.leave_out - self.categories.keys())
        ]
        if problems:
            raise BadPlan(problems)

    def _ask(self) -> None:
        self.report.questions += [
            f"The {self.seats[name]} seats of “{name}” look as if nobody may buy them: import again"
            f' with --leave-out "{name}" if that is so.'
            for name in self.categories
            if NOT_FOR_SALE.search(name) and name not in self.leave_out
        ]

    def _with_slugs(self, sections: list[Section]) -> tuple[Section, ...]:
        """The sections, each with a name and a slug of its own."""
        names: set[str] = set()
        slugs: set[str] = set()
        result = []
        for section in sections:
            base = slugify(section.name)[:70] or "section"
            name, slug, number = section.name, base, 1
            while name in names or slug in slugs:
                number += 1
                name, slug = f"{section.name} ({number})", f"{base}-{number}"
            if name != section.name:
                self.report.notes.append(f"One more “{section.name}” is called “{name}” here.")
            names.add(name)
            slugs.add(slug)
            result.append(replace(section, name=name, slug=slug))
        return tuple(result)


def _joined(pieces: list[Segments]) -> Segments:
    """The segments of all row objects that make one row, from one end of it to the other."""
    if len(pieces) == 1:
        return pieces[0]
    middles = [geometry.centre([s.at for segment in piece for s in segment]) for piece in pieces]
    return [segment for i in geometry.in_line(middles) for segment in pieces[i]]


def _outline(rows: tuple[Row, ...]) -> tuple[Point, ...]:
    gaps = [
        dist(a.at, b.at)
        for row in rows
        for segment in row.segments
        for a, b in itertools.pairwise(segment)
    ]
    pad = 0.8 * median(gaps) if gaps else 10.0
    around = geometry.outline([[seat.at for seat in row.seats] for row in rows], pad)
    return tuple((round(x, 2), round(y, 2)) for x, y in around)
