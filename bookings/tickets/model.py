"""Everything that is printed on one ticket, as text that is ready to print."""

from dataclasses import dataclass

ACCENT = "#1f4fd8"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFace:
    """One ticket. Times and money are already in the reader's language, times with their zone.

    A numbered place has a section, row and seat; general admission has its area as `section` and
    leaves the other two empty. What is empty is left out, label and all.
    """

    event: str
    subtitle: str = ""
    starts: str
    doors: str = ""
    venue: str
    address: str = ""
    section: str
    row: str = ""
    seat: str = ""
    zone: str = ""
    fare: str = ""
    price: str = ""
    holder: str = ""
    reference: str
    number: str
    organizer: str
    code: str
    # The organizer's colour, as #rrggbb. It only fills shapes: no text depends on its contrast.
    accent: str = ACCENT
