"""An event's seats in the order of the hall, for whoever chooses or names them in words."""

from itertools import groupby

from inventory.models import EventSeat
from inventory.ranges import Hall, Row, Seat, Section


def of(event_id: int) -> Hall:
    rows = (
        EventSeat.objects.filter(event_id=event_id)
        .order_by("section__rank", "section_id", "seat__row__rank", "seat__position")
        .values_list(
            "section_id",
            "section__name",
            "section__slug",
            "seat__row_id",
            "seat__row__label",
            "pk",
            "seat__number",
        )
    )
    return Hall(
        tuple(
            Section(
                name,
                slug,
                tuple(
                    Row(label, tuple(Seat(pk, number) for *_, pk, number in seats))
                    for (_, label), seats in groupby(in_section, key=lambda row: row[3:5])
                ),
            )
            for (_, name, slug), in_section in groupby(rows, key=lambda row: row[:3])
        )
    )
