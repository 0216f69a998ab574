"""Small seating plans in the pretix format, with the oddities of real ones."""

from typing import Any


def seat(guid: str, x: Any, y: float = 0, category: str = "A", **more: Any) -> dict[str, Any]:
    return {
        "seat_guid": guid,
        "seat_number": guid.rpartition("-")[2],
        "position": {"x": x, "y": y},
        "category": category,
        **more,
    }


def row(label: str, seats: list[dict[str, Any]], y: float = 0, **more: Any) -> dict[str, Any]:
    return {"row_number": label, "seats": seats, "position": {"x": 50, "y": y}, **more}


def line(label: str, *xs: float, y: float = 0, category: str = "A") -> dict[str, Any]:
    """A row with a seat at each x, named label-1, label-2 …"""
    seats = [seat(f"{label}-{n}", x, category=category) for n, x in enumerate(xs, start=1)]
    return row(label, seats, y=y)


def zone(name: str, *rows: dict[str, Any], y: float = 0, **more: Any) -> dict[str, Any]:
    return {"name": name, "position": {"x": 0, "y": y}, "rows": list(rows), "areas": [], **more}


def plan(*zones: dict[str, Any], categories: tuple[str, ...] = ("A", "B"), **more: Any) -> Any:
    return {
        "name": "Small hall",
        "size": {"width": 400, "height": 300},
        "categories": [{"name": name, "color": "#7f4a91"} for name in categories],
        "zones": list(zones),
        **more,
    }


def two_floors() -> Any:
    """Both floors have a row 2, and its names know nothing of floors; row 1 has an aisle."""
    return plan(
        zone("Stalls", line("1", 0, 30, 60, 120, 150, y=40), line("2", 0, 30, 60, y=70)),
        zone("Balcony", line("2", 0, 30, 60, y=40, category="B"), y=150),
    )
