"""The drawn parts of a pretix plan: areas become shapes of our own. Pure."""

import re

from venues import geometry
from venues.documents import Node
from venues.seatmaps import Point, Shape

COLOR = re.compile(r"#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{1,30}")
AREA_KEYS = {
    *("shape", "position", "color", "border_color", "rotation", "text", "uuid"),
    *("rectangle", "circle", "ellipse", "polygon"),
}


def read_color(node: Node, name: str) -> str:
    """A CSS colour, or nothing: what else stands there would end up in a page."""
    text = node.text(name, limit=100, default="")
    return text if COLOR.fullmatch(text) else ""


def read_shape(area: Node, zone_at: Point) -> Shape:
    area.note_unknown(AREA_KEYS)
    x, y = area.point("position", default=(0, 0))
    at = (zone_at[0] + x, zone_at[1] + y)
    points = geometry.turned(_points(area, at), at, area.number("rotation", default=0))
    text, text_at = "", at
    if area.has("text"):
        node = area.node("text")
        node.note_unknown({"position", "text", "color", "size"})
        text = node.text("text", limit=200, default="")
        dx, dy = node.point("position", default=(0, 0))
        text_at = (at[0] + dx, at[1] + dy)
    return Shape(
        points=tuple((round(px, 2), round(py, 2)) for px, py in points),
        color=read_color(area, "color"),
        text=text,
        text_at=(round(text_at[0], 2), round(text_at[1], 2)),
    )


def _points(area: Node, at: Point) -> list[Point]:
    x, y = at
    shape = area.text("shape", limit=20)
    if shape == "polygon":
        corners = area.node("polygon").nodes("points")
        return [(x + node.number("x"), y + node.number("y")) for node in corners]
    if shape == "rectangle":
        size = area.node("rectangle")
        w, h = size.number("width"), size.number("height")
        return [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
    if shape == "circle":
        radius = area.node("circle").number("radius")
        return geometry.ellipse(at, radius, radius)
    if shape == "ellipse":
        return geometry.ellipse(at, *area.node("ellipse").point("radius"))
    if shape != "text":
        area.refuse("shape", f"“{shape}” is not a shape that can be drawn")
    return []
