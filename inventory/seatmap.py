"""What the seat map shows: geometry from venues, what is free from inventory, words for both. Pure.

Coordinates are the plan's own; a template writes them into SVG as they are.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.availability import Level
from events.pricing import PriceList, ZonePrices
from inventory.selectors import SeatView
from ticketing.kernel.money import Money
from venues import naming
from venues.seatmaps import Point, Shape
from venues.selectors import RowDrawing, SeatDrawing

# A name is readable on a phone at this part of the map's width.
LABELS_ACROSS = 28
# Below this part of the places, a section has few left.
FEW = 0.25
# A seat's disc is drawn with radius 10 and scaled to this part of the way to its neighbour.
DISC = 0.42
MARGIN = 0.02


@dataclass(frozen=True, slots=True)
class SectionShown:
    """One section on the overview and in the list under it."""

    id: int
    name: str
    url: str
    outline: tuple[Point, ...]
    label_x: float
    label_y: float
    # Above the outline, where seats are drawn inside.
    name_y: float
    label_size: float
    free: int
    capacity: int
    from_price: Money | None

    @property
    def points(self) -> str:
        return points(self.outline)

    @property
    def level(self) -> Level:
        return level(self.free, self.capacity)

    @property
    def level_text(self) -> str:
        return level_text(self.level, self.free)

    @property
    def accessible_name(self) -> str:
        free = _("%(name)s, %(free)s of %(capacity)s free") % {
            "name": self.name,
            "free": self.free,
            "capacity": self.capacity,
        }
        if self.from_price is None:
            return free
        return _("%(free)s, from %(price)s") % {"free": free, "price": self.from_price}


@dataclass(frozen=True, slots=True)
class SeatShown:
    """One seat of a section's page."""

    id: int
    number: str
    state: str
    zone_letter: str
    zone_color_index: int
    accessible: bool
    x: float
    y: float
    name: str
    picked: bool
    just_taken: bool


@dataclass(frozen=True, slots=True)
class RowShown:
    label: str
    segments: tuple[tuple[SeatShown, ...], ...]

    @property
    def name(self) -> str:
        return naming.row_name(self.label)


def level(free: int, capacity: int) -> Level:
    return Level.of(free, capacity, few=FEW)


def level_text(shown: Level, free: int) -> str:
    if shown == Level.NONE:
        return _("nothing free just now")
    if shown == Level.FEW:
        return ngettext("%(n)s left", "%(n)s left", free) % {"n": free}
    return _("%(n)s free") % {"n": free}


def points(outline: Iterable[Point]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in outline)


def shape(drawn: Shape, usual: float) -> dict[str, Any]:
    x, y = drawn.text_at
    return {
        "points": points(drawn.points),
        "text": drawn.text,
        "label_x": x,
        "label_y": y,
        "label_size": label_size(drawn.text, drawn.points, usual),
    }


def top_at(x: float, outline: Sequence[Point], otherwise: float) -> float:
    """Where the outline is highest at this x: a curved section is not as high in its middle."""
    crossings = [
        y1 + (y2 - y1) * (x - x1) / (x2 - x1)
        for (x1, y1), (x2, y2) in pairwise([*outline, *outline[:1]])
        if x1 != x2 and min(x1, x2) <= x <= max(x1, x2)
    ]
    return min(crossings, default=otherwise)


def beside(y: float, x: float, size: float, shapes: Iterable[Shape]) -> float:
    """A label's y, moved down from the text of a shape that stands in its way."""
    for drawn in shapes:
        other_x, other_y = drawn.text_at
        if drawn.text and abs(other_x - x) < 3 * size and abs(other_y - y) < 1.5 * size:
            return other_y + 2.5 * size
    return y


def label_size(name: str, outline: Sequence[Point], usual: float) -> float:
    """A size at which the name fits its section: letters are about 0.6 as wide as high."""
    if not outline:
        return usual
    width = max(x for x, _y in outline) - min(x for x, _y in outline)
    return round(min(usual, 0.9 * width / (0.6 * max(1, len(name)))), 1)


def state(seat: SeatView, own_hold_id: int | None) -> str:
    """What a fan may know of a seat: not who has it, nor whether it is held or sold."""
    if own_hold_id is not None and seat.hold_id == own_hold_id:
        return "mine"
    if seat.is_blocked:
        return "blocked"
    return "available" if seat.is_free else "taken"


def rows(
    drawn: Iterable[RowDrawing],
    seats: Mapping[int, SeatView],
    prices: PriceList,
    *,
    own_hold_id: int | None = None,
    picked: Collection[int] = (),
    taken: Collection[int] = (),
    on_sale: bool = True,
) -> list[RowShown]:
    """The rows of a section; `seats` is by venue seat, `picked` and `taken` by event seat.

    Where nothing is sold, nothing can be ticked.
    """
    zones = {zone.id: zone for zone in prices.zones}
    # Said once for each zone: a section has hundreds of seats.
    offers = {zone.id: _offer(zone) for zone in prices.zones}

    def shown(place: SeatDrawing, row: str) -> SeatShown:
        seat = seats[place.id]
        zone = zones[seat.zone_id]
        now = state(seat, own_hold_id)
        if now == "available" and not on_sale:
            now = "blocked"
        return SeatShown(
            id=seat.id,
            number=place.number,
            state=now,
            zone_letter=zone.letter,
            zone_color_index=zone.color_index,
            accessible=place.is_wheelchair,
            x=place.x,
            y=place.y,
            name=_name(row, place, offers[zone.id], now),
            picked=seat.id in picked,
            just_taken=seat.id in taken,
        )

    return [
        RowShown(
            row.label,
            tuple(
                tuple(shown(place, row.label) for place in segment if place.id in seats)
                for segment in row.segments
            ),
        )
        for row in drawn
    ]


def _offer(zone: ZonePrices) -> str:
    """The zone, and what a place costs at the first fare that it sells."""
    price = next((cell.price for cell in zone.cells if cell.price), None)
    return f"{zone.name}, {price}" if price else zone.name


def _name(row: str, place: SeatDrawing, offer: str, now: str) -> str:
    """A seat in full, for whoever cannot see it."""
    parts = [naming.seat_name(row, place.number)]
    if place.is_wheelchair:
        parts.append(_("wheelchair space"))
    if now == "available":
        parts += [offer, _("free")]
    else:
        words = {"mine": _("yours"), "blocked": _("not for sale"), "taken": _("taken")}
        parts.append(words[now])
    return ", ".join(parts)


def picture(drawn: Sequence[RowDrawing]) -> dict[str, Any]:
    """The frame of a section's picture, and how large a seat is in it."""
    places = [seat for row in drawn for segment in row.segments for seat in segment]
    if not places:
        return {"view_box": "", "seat_scale": 1}
    gap = spacing(drawn)
    left, right = min(s.x for s in places) - gap, max(s.x for s in places) + gap
    top, bottom = min(s.y for s in places) - gap, max(s.y for s in places) + gap
    return {
        "view_box": f"{left:g} {top:g} {right - left:g} {bottom - top:g}",
        "seat_scale": round(gap * DISC / 10, 3),
    }


def spacing(drawn: Iterable[RowDrawing]) -> float:
    """The least distance of two neighbours; what a disc must stay within."""
    gaps = [
        ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5
        for row in drawn
        for segment in row.segments
        for a, b in pairwise(segment)
    ]
    return min((gap for gap in gaps if gap), default=30.0)


def view_box(width: float, height: float) -> str:
    margin = MARGIN * max(width, height)
    return f"{-margin:g} {-margin:g} {width + 2 * margin:g} {height + 2 * margin:g}"
