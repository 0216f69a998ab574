"""What is on in the demo: a season that always lies ahead of the day it is loaded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from typing import Any

ADULT, CHILD, CONCESSION, FAMILY_TICKET = "Adult", "Child", "Concession", "Family"
# Of those fares whose ticket takes more than one place.
PLACES = {FAMILY_TICKET: 4}


@dataclass(frozen=True, slots=True)
class Zone:
    """A price zone; `prices` are in whole units of the currency, by fare."""

    name: str
    categories: tuple[str, ...]
    prices: dict[str, int]


@dataclass(frozen=True, slots=True)
class Act:
    """One event of the season, by days from now and the clock of its hall."""

    slug: str
    title: str
    organizer: str
    hall: str
    currency: str
    days: int
    starts: time
    minutes: int
    zones: tuple[Zone, ...]
    description: str = ""
    series: str = ""
    ticket_fee: str = "0"
    booking_fee: str = "0"
    limit: int = 8
    # Days from now until the sale opens; negative if it is open.
    sale_in: int = -14
    presale_in: int | None = None
    # What happens to it after it was opened, if anything: a verb of `programme`.
    then: str = ""
    # Without seats: so many places, and so many of them booked already; only free ones can be.
    capacity: int = 0
    booked: int = 0
    # At most so many of these places at one fare.
    caps: Mapping[str, int] = field(default_factory=dict)
    # Kept from sale, in the first section: seats for the house.
    house_seats: int = 0


def _zones(*zones: tuple[str, tuple[str, ...], int], child: float = 0.5) -> tuple[Zone, ...]:
    return tuple(
        Zone(
            name,
            categories,
            {ADULT: price, CHILD: round(price * child), CONCESSION: round(price * 0.8)},
        )
        for name, categories, price in zones
    )


THEATRE = _zones(
    ("Front stalls", ("Front stalls",), 68),
    ("Stalls", ("Stalls",), 52),
    ("Circle", ("Circle",), 40),
    ("Balcony", ("Balcony",), 24),
)
FAMILY = _zones(
    ("Stalls", ("Front stalls", "Stalls"), 30),
    ("Circle and balcony", ("Circle", "Balcony"), 18),
)
ARENA = _zones(
    ("Floor", ("Floor",), 79),
    ("Lower ring", ("Lower ring",), 95),
    ("Upper ring", ("Upper ring",), 55),
)
CELLAR = _zones(
    ("Ringside", ("Ringside",), 6800),
    ("Tables", ("Tables",), 5200),
    ("Bar", ("Bar",), 3800),
    child=0.6,
)
CLUB = _zones(("Floor", ("Floor",), 24), ("Gallery", ("Gallery",), 32))
GREEN = (Zone("Green", (), {ADULT: 18, CHILD: 9, FAMILY_TICKET: 45}),)
FREE = (Zone("Free seating", (), {ADULT: 0}),)

SERIES = {
    "The Tide Clock": (
        "Larkspur Company",
        "A ghost story for a seaside town that has forgotten what it owes the sea.",
    ),
    "Comet Hour Tour": ("Northlight Concerts", "Four records, one night, no support act."),
    "Nights at the Lantern": ("Blue Lantern", "Two sets each evening, the second one louder."),
}
ORGANIZERS = ("Northlight Concerts", "Larkspur Company", "Blue Lantern")
_TIDE: dict[str, Any] = {
    "title": "The Tide Clock",
    "organizer": "Larkspur Company",
    "series": "The Tide Clock",
    "hall": "theatre",
    "currency": "GBP",
    "zones": THEATRE,
    "minutes": 145,
    "ticket_fee": "2.50",
}
_LANTERN: dict[str, Any] = {
    "organizer": "Blue Lantern",
    "series": "Nights at the Lantern",
    "hall": "cellar",
    "currency": "JPY",
    "zones": CELLAR,
    "minutes": 150,
    "limit": 4,
    "ticket_fee": "300",
}
_NORTH: dict[str, Any] = {"organizer": "Northlight Concerts", "currency": "EUR"}

SEASON: tuple[Act, ...] = (
    Act(
        **_NORTH,
        slug="demo-arena",
        title="Astra Vale: Comet Hour",
        series="Comet Hour Tour",
        hall="arena",
        days=74,
        starts=time(20, 0),
        minutes=150,
        zones=ARENA,
        ticket_fee="4.90",
        booking_fee="2",
        limit=6,
        house_seats=24,
        description=(
            "The stage stands in the middle, so nobody is far away.\n\n"
            "Doors open at 18:30. The floor is standing only; both rings are seated."
        ),
    ),
    Act(
        **_NORTH,
        slug="comet-hour-second-night",
        title="Astra Vale: Comet Hour, second night",
        series="Comet Hour Tour",
        hall="arena",
        days=75,
        starts=time(20, 0),
        minutes=150,
        zones=ARENA,
        ticket_fee="4.90",
        booking_fee="2",
        limit=6,
        sale_in=12,
        presale_in=9,
    ),
    Act(**_TIDE, slug="tide-clock-preview", days=9, starts=time(19, 30), house_seats=12),
    Act(**_TIDE, slug="tide-clock-first-night", days=11, starts=time(19, 30), house_seats=40),
    Act(**_TIDE, slug="tide-clock-matinee", days=16, starts=time(14, 30)),
    Act(**_TIDE, slug="tide-clock-late-run", days=44, starts=time(19, 30), then="postpone"),
    Act(
        slug="paper-moon-family-matinee",
        title="The Paper Moon",
        organizer="Larkspur Company",
        hall="theatre",
        currency="GBP",
        days=24,
        starts=time(11, 0),
        minutes=70,
        zones=FAMILY,
        ticket_fee="1",
        description="For everybody from five years on. Bring a torch.",
    ),
    Act(
        slug="an-evening-with-ida-brandt",
        title="An evening with Ida Brandt",
        organizer="Larkspur Company",
        hall="theatre",
        currency="GBP",
        days=58,
        starts=time(20, 0),
        minutes=100,
        zones=FAMILY,
        ticket_fee="1",
        sale_in=20,
        description="The poet reads from her new book and answers questions from the stalls.",
    ),
    Act(
        **_NORTH,
        slug="kessel-session-north-of-nowhere",
        title="Kessel Session: North of Nowhere",
        hall="club",
        days=6,
        starts=time(21, 0),
        minutes=120,
        zones=CLUB,
        ticket_fee="1.50",
        description="Standing only. The gallery has a rail to lean on and the bar below it.",
    ),
    Act(
        **_NORTH,
        slug="open-rehearsal-the-gulls",
        title="The Gulls: open rehearsal",
        hall="club",
        days=3,
        starts=time(18, 0),
        minutes=90,
        zones=FREE,
        capacity=40,
        booked=37,
        description="Free, and for as many as fit. Who cannot come, please give the place back.",
    ),
    Act(
        **_NORTH,
        slug="tin-whale-picnic",
        title="The Tin Whale: a concert to picnic by",
        hall="club",
        days=17,
        starts=time(15, 0),
        minutes=100,
        zones=GREEN,
        ticket_fee="1",
        capacity=300,
        caps={CHILD: 60},
        description="In the yard behind the club. Bring a blanket; a family ticket seats four.",
    ),
    Act(
        **_NORTH,
        slug="kessel-session-paper-tigers",
        title="Kessel Session: Paper Tigers",
        hall="club",
        days=20,
        starts=time(21, 0),
        minutes=120,
        zones=CLUB,
        ticket_fee="1.50",
        then="cancel",
        description="Called off, since the drummer broke an arm. Get well soon.",
    ),
    Act(
        **_LANTERN,
        slug="hoshino-trio",
        title="Hoshino Trio",
        days=5,
        starts=time(19, 0),
        house_seats=4,
    ),
    Act(
        slug="open-jam",
        title="Open jam",
        organizer="Blue Lantern",
        hall="cellar",
        currency="JPY",
        days=2,
        starts=time(18, 0),
        minutes=120,
        zones=FREE,
        capacity=24,
        booked=24,
        limit=8,
        description="Bring an instrument. Free, but the cellar is small.",
    ),
    Act(**_LANTERN, slug="mori-and-strings", title="Mori and strings", days=19, starts=time(19, 0)),
    Act(
        **_LANTERN,
        slug="late-set-kaze-no-michi",
        title="Late set: Kaze no Michi",
        days=33,
        starts=time(22, 0),
        then="pause",
    ),
)
