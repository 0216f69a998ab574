"""Four halls of our own, drawn by arithmetic in the same format that anybody's plan comes in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

Json = dict[str, Any]
Place = tuple[float, float]
# From the middle of one seat to that of the next, in the plan's units.
PITCH = 22.0
BLOCK_PITCH = 17.0
# Half the width of the gap that the arena's floor leaves for the catwalk.
CATWALK = 24.0
ROW_DEPTH = 33.0
THEATRE_MIDDLE = (700.0, 40.0)
ARENA_MIDDLE = (1000.0, 1000.0)
# Without I and O, which look like numbers.
ROW_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Hall:
    name: str
    city: str
    country: str
    address: str
    time_zone: str
    plan: Callable[[], Json]


def halls() -> dict[str, Hall]:
    """The halls of the demo, by the name the season calls them."""
    return {
        "theatre": Hall(
            "Larkspur Theatre",
            "London",
            "GB",
            "14 Cressing Lane",
            "Europe/London",
            theatre,
        ),
        "arena": Hall(
            "Spreebogen Arena",
            "Berlin",
            "DE",
            "Am Bogen 1",
            "Europe/Berlin",
            arena,
        ),
        "club": Hall(
            "Kupferkessel",
            "Berlin",
            "DE",
            "Hinterhof, Lohgasse 8",
            "Europe/Berlin",
            club,
        ),
        "cellar": Hall("Blue Lantern", "Tokyo", "JP", "B1, 3-7 Hoshimachi", "Asia/Tokyo", cellar),
    }


def theatre() -> Json:
    """Three floors around a stage, two aisles, four pillars under the circle."""
    stalls = _tier("Stalls", 16, first=200, half=0.72, aisles=(-0.24, 0.24))
    circle = _tier("Circle", 6, first=800, half=0.64, aisles=(-0.25, 0.0, 0.25))
    balcony = _tier("Balcony", 4, first=1072, half=0.56, aisles=(-0.17, 0.17))
    for row in stalls["rows"][:5]:
        for seat in row["seats"]:
            seat["category"] = "Front stalls"
    for row in stalls["rows"][-2:]:
        for seat in (*row["seats"][:2], *row["seats"][-2:]):
            seat["wheelchair"] = True
    stage = [(520, 10), (880, 10), (850, 90), (700, 125), (550, 90)]
    pillars = [_on_arc(THEATRE_MIDDLE, 752, angle) for angle in (-0.5, -0.2, 0.2, 0.5)]
    stalls["areas"] = [_polygon(stage, "STAGE", (700, 60)), *map(_pillar, pillars)]
    return _plan(
        "Larkspur Theatre",
        (1400, 1240),
        {
            "Front stalls": "#8a1c4a",
            "Stalls": "#c2557a",
            "Circle": "#3d5a98",
            "Balcony": "#6a8caf",
        },
        [stalls, circle, balcony],
    )


def arena() -> Json:
    """A stage in the middle, a floor to stand on around it, and two rings of blocks."""
    lower = [_block(101 + n, n / 16, 1 / 16, (330, 12, 23), "Lower ring") for n in range(16)]
    upper = [_block(201 + n, n / 24, 1 / 24, (660, 15, 20), "Upper ring") for n in range(24)]
    for block in lower[::4]:
        for seat in block["rows"][-1]["seats"][:4]:
            seat["wheelchair"] = True
    return _plan(
        "Spreebogen Arena",
        (2000, 2000),
        {"Floor": "#d95f0e", "Lower ring": "#20639b", "Upper ring": "#6aa5c9"},
        [_floor(ARENA_MIDDLE), *lower, *upper],
    )


def club() -> Json:
    """No seats: a floor before the stage and a gallery above the bar."""
    floor = _standing("Floor", 260, [(60, 150), (640, 150), (640, 470), (60, 470)])
    floor["areas"].append(_polygon([(120, 30), (580, 30), (580, 110), (120, 110)], "STAGE"))
    gallery = _standing("Gallery", 80, [(60, 500), (640, 500), (640, 620), (60, 620)])
    bar = [(250, 650), (450, 650), (450, 690), (250, 690)]
    gallery["areas"].append(_polygon(bar, "BAR"))
    return _plan(
        "Kupferkessel", (700, 720), {"Floor": "#7a5c1e", "Gallery": "#b08a3c"}, [floor, gallery]
    )


def cellar() -> Json:
    """Tables of four before the band, and a row of stools along the bar."""
    tables = []
    for number in range(14):
        # Lines of five, four and five, each set between those before.
        line, place = (0, number) if number < 5 else divmod(number + 1, 5)  # noqa: PLR2004
        x, y = 110 + place * 130, 190 + line * 130
        if line == 1:
            x -= 65
        corners = [(x, y), (x + 44, y), (x + 44, y + 52), (x, y + 52)]
        near = "Ringside" if line == 0 else "Tables"
        label = f"Table {number + 1}"
        tables.append(
            _row(label, [_seat(f"{label}-{n}", n, p, near) for n, p in _from_one(corners)])
        )
    stools = [(790.0, 190 + 30 * n) for n in range(12)]
    bar = _row("Bar", [_seat(f"Bar-{n}", n, p, "Bar") for n, p in _from_one(stools)])
    stage = [(240, 20), (620, 20), (580, 120), (280, 120)]
    return _plan(
        "Blue Lantern",
        (880, 600),
        {"Ringside": "#1f4e5f", "Tables": "#4f8a8b", "Bar": "#c9a227"},
        [
            {**_zone("Tables", tables), "areas": [_polygon(stage, "BAND")]},
            {
                **_zone("Bar", [bar]),
                "areas": [_polygon([(825, 180), (860, 180), (860, 530), (825, 530)], "")],
            },
        ],
    )


def _floor(middle: Place) -> Json:
    """A ring around the stage, open where the catwalk runs."""
    around, within = 290.0, 110.0
    outer = [CATWALK / around + (2 * pi - 2 * CATWALK / around) * n / 40 for n in range(41)]
    inner = [CATWALK / within + (2 * pi - 2 * CATWALK / within) * n / 40 for n in range(40, -1, -1)]
    ground = [_on_arc(middle, around, angle) for angle in outer]
    ground += [_on_arc(middle, within, angle) for angle in inner]
    floor = _standing("Floor", 1500, ground)
    stage = [_on_arc(middle, 95, 2 * pi * n / 8 + pi / 8) for n in range(8)]
    x, y = middle
    catwalk = [(x - 14, y + 85), (x + 14, y + 85), (x + 14, y + 260), (x - 14, y + 260)]
    floor["areas"] += [_polygon(stage, "STAGE", middle), _polygon(catwalk, "")]
    return floor


def _block(
    number: int, turn: float, width: float, shape: tuple[int, int, int], category: str
) -> Json:
    """One block of a ring, at a turn and as wide as two shares of the full circle say.

    Its rows are arcs; `shape` has the radius of the first, how many there are, and their depth.
    """
    first, count, depth = shape
    rows = []
    for line in range(count):
        radius = first + line * depth
        seats = int((2 * pi * width * radius - 26) / BLOCK_PITCH)
        steps = [n - (seats - 1) / 2 for n in range(seats)]
        angles = [2 * pi * turn + step * BLOCK_PITCH / radius for step in steps]
        places = [_on_arc(ARENA_MIDDLE, radius, angle) for angle in angles]
        guid = f"{number}-{line + 1}"
        found = [_seat(f"{guid}-{n}", n, place, category) for n, place in _from_one(places)]
        rows.append(_row(str(line + 1), found))
    return _zone(str(number), rows)


def _tier(name: str, rows: int, *, first: float, half: float, aisles: tuple[float, ...]) -> Json:
    """Rows on arcs before the stage, cut by aisles that run towards it."""
    made = []
    for line, label in enumerate(ROW_LETTERS[:rows]):
        radius = first + line * ROW_DEPTH
        step = PITCH / radius
        count = int(2 * half / step)
        angles = [(n - (count - 1) / 2) * step for n in range(count)]
        kept = [a for a in angles if all(abs(a - aisle) > 0.75 * step for aisle in aisles)]
        places = [_on_arc(THEATRE_MIDDLE, radius, angle) for angle in kept]
        guid = f"{name[0]}-{label}"
        made.append(_row(label, [_seat(f"{guid}-{n}", n, p, name) for n, p in _from_one(places)]))
    return _zone(name, made)


def _on_arc(middle: Place, radius: float, angle: float) -> Place:
    """0 is straight down, away from a stage above; angles grow to the right."""
    return (
        round(middle[0] + radius * sin(angle), 1),
        round(middle[1] + radius * cos(angle), 1),
    )


def _from_one(places: Sequence[Place]) -> "enumerate[Place]":
    return enumerate(places, start=1)


def _plan(name: str, size: tuple[int, int], categories: dict[str, str], zones: list[Json]) -> Json:
    return {
        "name": name,
        "size": {"width": size[0], "height": size[1]},
        "categories": [{"name": n, "color": color} for n, color in categories.items()],
        "zones": zones,
    }


def _zone(name: str, rows: list[Json]) -> Json:
    return {"name": name, "position": {"x": 0, "y": 0}, "rows": rows, "areas": []}


def _standing(name: str, capacity: int, ground: Sequence[Place]) -> Json:
    zone = _zone(name, [])
    zone["standing"] = {"capacity": capacity, "category": name}
    zone["areas"].append(_polygon(ground, ""))
    return zone


def _row(label: str, seats: list[Json]) -> Json:
    return {"row_number": label, "position": {"x": 0, "y": 0}, "seats": seats}


def _seat(guid: str, number: int, place: Place, category: str) -> Json:
    x, y = place
    return {
        "seat_guid": guid,
        "seat_number": str(number),
        "position": {"x": x, "y": y},
        "category": category,
    }


def _polygon(points: Sequence[Place], text: str, at: Place | None = None) -> Json:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x, y = at or ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    return {
        "shape": "polygon",
        "position": {"x": 0, "y": 0},
        "color": "#e5e2da",
        "polygon": {"points": [{"x": px, "y": py} for px, py in points]},
        "text": {"text": text, "position": {"x": x, "y": y}},
    }


def _pillar(at: Place) -> Json:
    return {
        "shape": "circle",
        "position": {"x": at[0], "y": at[1]},
        "color": "#b5b0a5",
        "circle": {"radius": 12},
    }
