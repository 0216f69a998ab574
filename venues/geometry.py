"""Lines of seats and the outlines around them. Pure."""

import itertools
from collections.abc import Iterator, Sequence
from math import atan2, cos, dist, hypot, pi, sin
from statistics import median

from venues.seatmaps import Point

# A line whose neighbours are further apart than this many times the usual gap has an aisle there.
AISLE = 1.5
# Seats that stray from their line by more than this share of its length are not one line.
STRAY = 0.12
# How much wider than high a word is.
WORD = 2.5
# Closer than this is the same place.
TINY = 1e-9
# Two steps that turn more sharply than this are a zigzag, not a curve.
SHARP = pi * 75 / 180


def in_line(points: Sequence[Point]) -> list[int]:
    """The order of the points from one end of their line to the other, left to right.

    Along the principal axis, unless the order they came in is the shorter walk: that of a ring.
    """
    along = axis(points)
    given = list(range(len(points)))
    sorted_along = sorted(given, key=lambda i: _along(points[i], along))
    order = sorted_along if _walk(points, sorted_along) <= _walk(points, given) else given
    if order and _along(points[order[0]], along) > _along(points[order[-1]], along):
        order.reverse()
    return order


def is_table(points: Sequence[Point]) -> bool:
    """Whether points, in the order of their line, stand around something instead of in a row."""
    if len(points) < 3:  # noqa: PLR2004
        return False
    x, y = axis(points)
    length = _spread(_along(p, (x, y)) for p in points)
    width = _spread(_along(p, (-y, x)) for p in points)
    return width > STRAY * length and any(turn > SHARP for turn in _turns(points))


def aisles(points: Sequence[Point]) -> set[int]:
    """Before which points of a line there is an aisle."""
    gaps = [dist(a, b) for a, b in itertools.pairwise(points)]
    if not gaps:
        return set()
    limit = AISLE * median(gaps) + TINY
    return {i + 1 for i, gap in enumerate(gaps) if gap > limit}


def axis(points: Sequence[Point]) -> Point:
    """The direction in which points spread most, as a unit that points right (or straight down)."""
    if not points:
        return 1.0, 0.0
    mx, my = centre(points)
    xx = sum((x - mx) ** 2 for x, _ in points)
    yy = sum((y - my) ** 2 for _, y in points)
    xy = sum((x - mx) * (y - my) for x, y in points)
    angle = atan2(2 * xy, xx - yy) / 2
    x, y = cos(angle), sin(angle)
    return (-x, -y) if x < -TINY or (abs(x) <= TINY and y < 0) else (x, y)


def centre(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def outline(rows: Sequence[Sequence[Point]], pad: float) -> list[Point]:
    """A padded line around rows of points: along their ends if that fits, else the convex hull."""
    points = [point for row in rows for point in row]
    ribbon = _ribbon(rows)
    if len(ribbon) > 3 and _is_simple(ribbon):  # noqa: PLR2004
        grown = _grow(ribbon, pad)
        if _is_simple(grown) and all(contains(grown, point) for point in points):
            return grown
    corners = [
        (x + dx, y + dy)
        for x, y in (hull(points) if len(points) > 2 else points)  # noqa: PLR2004
        for dx, dy in ((-pad, -pad), (pad, -pad), (pad, pad), (-pad, pad))
    ]
    return hull(corners)


def hull(points: Sequence[Point]) -> list[Point]:
    """The convex hull, without points on its edges."""
    ordered = sorted(set(points))
    if len(ordered) < 3:  # noqa: PLR2004
        return ordered

    def half(some: Sequence[Point]) -> list[Point]:
        chain: list[Point] = []
        for point in some:
            while len(chain) > 1 and _cross(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return half(ordered) + half(ordered[::-1])


def contains(polygon: Sequence[Point], point: Point) -> bool:
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in _edges(polygon):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def roomiest(polygon: Sequence[Point], cells: int = 16) -> Point:
    """Of a grid of points inside a polygon, the one with the most room for a word around it."""
    # Words are wider than high: what is far to the side counts as nearer than it is.
    narrow = [(x / WORD, y) for x, y in polygon]
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    left, top, width, height = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
    grid = [
        (round(left + width * (i + 0.5) / cells, 2), round(top + height * (j + 0.5) / cells, 2))
        for i in range(cells)
        for j in range(cells)
    ]
    inside = [point for point in grid if contains(polygon, point)]
    return max(inside or [polygon[0]], key=lambda p: _room(narrow, (p[0] / WORD, p[1])))


def ellipse(at: Point, rx: float, ry: float, corners: int = 36) -> list[Point]:
    x, y = at
    angles = (2 * pi * i / corners for i in range(corners))
    return [(x + rx * cos(a), y + ry * sin(a)) for a in angles]


def turned(points: Sequence[Point], around: Point, degrees: float) -> list[Point]:
    """The points, turned clockwise."""
    (cx, cy), angle = around, degrees * pi / 180
    c, s = cos(angle), sin(angle)
    return [(cx + (x - cx) * c - (y - cy) * s, cy + (x - cx) * s + (y - cy) * c) for x, y in points]


def _room(polygon: Sequence[Point], point: Point) -> float:
    return min(_distance(point, a, b) for a, b in _edges(polygon))


def _distance(point: Point, a: Point, b: Point) -> float:
    """How far a point is from a stretch."""
    (ax, ay), (bx, by) = a, b
    dx, dy = bx - ax, by - ay
    share = ((point[0] - ax) * dx + (point[1] - ay) * dy) / (dx * dx + dy * dy or 1.0)
    share = min(1.0, max(0.0, share))
    return dist(point, (ax + share * dx, ay + share * dy))


def _ribbon(rows: Sequence[Sequence[Point]]) -> list[Point]:
    """The first row, the right ends, the last row backwards, the left ends."""
    facing: list[list[Point]] = []
    for row in rows:
        line = list(row)
        if facing and _heading(line, facing[-1]) < 0:
            line.reverse()
        facing.append(line)
    if len(facing) < 2:  # noqa: PLR2004
        return []
    middle = facing[1:-1]
    around = [
        *facing[0],
        *(line[-1] for line in middle),
        *reversed(facing[-1]),
        *(line[0] for line in reversed(middle)),
    ]
    return _without_straights(around)


def _heading(line: Sequence[Point], before: Sequence[Point]) -> float:
    (ax, ay), (bx, by) = line[0], line[-1]
    (cx, cy), (dx, dy) = before[0], before[-1]
    return (bx - ax) * (dx - cx) + (by - ay) * (dy - cy)


def _without_straights(polygon: Sequence[Point]) -> list[Point]:
    distinct = [p for i, p in enumerate(polygon) if p != polygon[i - 1]]
    count = len(distinct)
    return [
        p
        for i, p in enumerate(distinct)
        if abs(_cross(distinct[i - 1], p, distinct[(i + 1) % count])) > TINY
    ]


def _grow(polygon: Sequence[Point], pad: float) -> list[Point]:
    """Push every corner outwards by `pad`, sharp ones by no more than twice that."""
    count = len(polygon)
    side = 1 if _area(polygon) > 0 else -1
    grown = []
    for i, (x, y) in enumerate(polygon):
        nx1, ny1 = _normal(polygon[i - 1], (x, y))
        nx2, ny2 = _normal((x, y), polygon[(i + 1) % count])
        mx, my = nx1 + nx2, ny1 + ny2
        square = max(mx * mx + my * my, 0.5)
        scale = 2 * pad * side / square
        grown.append((x + mx * scale, y + my * scale))
    return grown


def _normal(a: Point, b: Point) -> Point:
    length = hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    return (b[1] - a[1]) / length, (a[0] - b[0]) / length


def _area(polygon: Sequence[Point]) -> float:
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in _edges(polygon)) / 2


def _is_simple(polygon: Sequence[Point]) -> bool:
    edges = list(_edges(polygon))
    count = len(edges)
    return not any(
        _cut(*edges[i], *edges[j])
        for i in range(count)
        for j in range(i + 2, count)
        if (i, j) != (0, count - 1)
    )


def _cut(a: Point, b: Point, c: Point, d: Point) -> bool:
    return _cross(a, b, c) * _cross(a, b, d) < 0 and _cross(c, d, a) * _cross(c, d, b) < 0


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _edges(polygon: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    return zip(polygon, [*polygon[1:], polygon[0]], strict=True)


def _along(point: Point, direction: Point) -> float:
    return point[0] * direction[0] + point[1] * direction[1]


def _spread(values: Iterator[float]) -> float:
    listed = list(values)
    return max(listed) - min(listed)


def _walk(points: Sequence[Point], order: Sequence[int]) -> float:
    return sum(dist(points[a], points[b]) for a, b in itertools.pairwise(order))


def _turns(points: Sequence[Point]) -> Iterator[float]:
    for a, b, c in zip(points, points[1:], points[2:], strict=False):
        turn = atan2(c[1] - b[1], c[0] - b[0]) - atan2(b[1] - a[1], b[0] - a[0])
        yield abs((turn + pi) % (2 * pi) - pi)
