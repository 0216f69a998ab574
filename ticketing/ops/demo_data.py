"""The demo's people, halls and season, made through the same services as anybody's.

What is there already is left as it is, so that loading again repairs and never resets.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from decimal import Decimal
from itertools import count
from zoneinfo import ZoneInfo

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils.text import slugify

from bookings.services import checkout, paying
from events import terms
from events.models import (
    Event,
    Fare,
    Fee,
    FeeKind,
    OnSale,
    OnSaleKind,
    Organizer,
    Price,
    PriceZone,
    Series,
)
from events.services import programme
from inventory import selectors as inventory
from inventory.services import blocks, opening, placing, pools
from inventory.wishes import PoolWish, Wish
from ticketing.accounts.models import User
from ticketing.kernel import money
from ticketing.ops import roles
from ticketing.ops.demo_halls import Hall, halls
from ticketing.ops.demo_season import ORGANIZERS, PLACES, SEASON, SERIES, Act
from venues import pretix, selectors
from venues.models import SeatMap, SeatMapState, Venue
from venues.services import maps, places

PASSWORD = "demo"  # noqa: S105
# Sales open at this hour of the venue's day.
OPENING_HOUR = time(10, 0)
GUEST = "guest{}@example.org"
# Nobody is sent anywhere to pay nothing.
NOWHERE = paying.Addresses(paid="", cancelled="")


def load(*, at: datetime) -> Iterator[str]:
    """Make what is missing of the demo; says what it made, line by line."""
    roles.ensure()
    yield from _people()
    seat_maps = {}
    for key, hall in halls().items():
        published = SeatMap.objects.filter(state=SeatMapState.PUBLISHED, venue__name=hall.name)
        if not published.exists():
            yield _build(hall, at)
        seat_maps[key] = published.select_related("venue").latest("version")
    have = set(Event.objects.values_list("slug", flat=True))
    for act in SEASON:
        if act.slug not in have:
            _stage(act, seat_maps[act.hall], at)
            yield f"{act.title} ({act.slug})"


def _people() -> Iterator[str]:
    organizers = [
        Organizer.objects.get_or_create(name=name, defaults={"slug": slugify(name)})[0]
        for name in ORGANIZERS
    ]
    # One slow hash for all three: who knows one password knows the others.
    password = make_password(PASSWORD)
    for email, name, group in (
        ("admin@example.org", "Alex Admin", None),
        ("organizer@example.org", "Olu Organizer", roles.ORGANIZERS),
        ("staff@example.org", "Sam Staff", roles.BOX_OFFICE),
    ):
        if User.objects.filter(email=email).exists():
            continue
        user = User.objects.create(
            email=email,
            name=name,
            password=password,
            is_staff=True,
            is_superuser=group is None,
        )
        if group:
            user.groups.add(roles.group(group))
        if group == roles.ORGANIZERS:
            # Of two of three: what belongs to the third stays out of sight.
            user.organizers.add(*organizers[:2])
        yield f"{email}, password {PASSWORD}"


def _build(hall: Hall, at: datetime) -> str:
    found = places.find_or_create(
        name=hall.name,
        city=hall.city,
        country=hall.country,
        address=hall.address,
        time_zone=hall.time_zone,
    )
    plan, _ = pretix.read(hall.plan())
    imported = maps.import_plan(venue_id=found.id, plan=plan)
    maps.publish(seat_map_id=imported.seat_map_id, at=at)
    return f"{hall.name}, {hall.city}: {sum(1 for _ in plan.seats):,} seats"


def _stage(act: Act, seat_map: SeatMap, at: datetime) -> None:
    event = _draft(act, seat_map, at)
    if act.capacity:
        zone = event.price_zones.get()
        pool = pools.add(event_id=event.pk, zone_id=zone.pk, name=zone.name, capacity=act.capacity)
        fares = dict(event.fares.values_list("name", "pk"))
        with transaction.atomic(durable=True):
            for name, most in act.caps.items():
                pools.cap_fare(pool_id=pool, fare_id=fares[name], capacity=most)
    opening.open_event(event_id=event.pk, at=at)
    if act.house_seats:
        _keep_house_seats(event, act.house_seats)
    if act.booked:
        _book_out(event, act.booked)
    steps: dict[str, Callable[[], bool]] = {
        "": lambda: True,
        "pause": lambda: programme.pause(event_id=event.pk),
        "postpone": lambda: programme.postpone(event_id=event.pk, at=at),
        "cancel": lambda: programme.cancel(event_id=event.pk, at=at),
    }
    steps[act.then]()


def _draft(act: Act, seat_map: SeatMap, at: datetime) -> Event:
    venue = seat_map.venue
    starts_at = _on_day(at, act.days, act.starts, venue)
    organizer = Organizer.objects.get(name=act.organizer)
    with transaction.atomic(durable=True):
        event = Event.objects.create(
            organizer=organizer,
            series=_series(act.series),
            title=act.title,
            slug=act.slug,
            description=act.description,
            venue=venue,
            seat_map=None if act.capacity else seat_map,
            doors_at=starts_at - timedelta(minutes=60),
            starts_at=starts_at,
            ends_at=starts_at + timedelta(minutes=act.minutes),
            currency=act.currency,
            limit_per_fan=act.limit,
        )
        _price(event, act)
        sale_opens_at = _on_day(at, act.sale_in, OPENING_HOUR, venue)
        OnSale.objects.create(event=event, opens_at=sale_opens_at, closes_at=starts_at)
        if act.presale_in is not None:
            OnSale.objects.create(
                event=event,
                kind=OnSaleKind.PRESALE,
                opens_at=_on_day(at, act.presale_in, OPENING_HOUR, venue),
                closes_at=sale_opens_at,
            )
    return event


def _price(event: Event, act: Act) -> None:
    names = list(dict.fromkeys(name for zone in act.zones for name in zone.prices))
    fares = {
        name: Fare.objects.create(event=event, name=name, rank=rank, places=PLACES.get(name, 1))
        for rank, name in enumerate(names)
    }
    for rank, zone in enumerate(act.zones):
        made = PriceZone.objects.create(
            event=event, name=zone.name, rank=rank, categories=list(zone.categories)
        )
        for name, units in zone.prices.items():
            amount = money.from_decimal(Decimal(units), act.currency)
            Price.objects.create(zone=made, fare=fares[name], amount_minor=amount.minor)
    fees = (
        ("Ticket fee", FeeKind.TICKET, act.ticket_fee),
        ("Booking fee", FeeKind.BOOKING, act.booking_fee),
    )
    for label, kind, written in fees:
        amount = money.from_decimal(Decimal(written), act.currency)
        if amount.minor:
            Fee.objects.create(event=event, name=label, kind=kind, amount_minor=amount.minor)


def _series(name: str) -> Series | None:
    if not name:
        return None
    organizer, description = SERIES[name]
    series, _ = Series.objects.get_or_create(
        slug=slugify(name),
        defaults={
            "name": name,
            "organizer": Organizer.objects.get(name=organizer),
            "description": description,
        },
    )
    return series


def _on_day(at: datetime, days: int, clock: time, venue: Venue) -> datetime:
    """That many days from now, at this time by the venue's clock."""
    zone = ZoneInfo(venue.time_zone)
    day = at.astimezone(zone).date() + timedelta(days=days)
    return datetime.combine(day, clock, tzinfo=zone)


def _keep_house_seats(event: Event, wanted: int) -> None:
    drawing = selectors.drawing(event.seat_map_id or 0)
    section = next(section for section in drawing.sections if section.kind == "seated")
    seats = inventory.seats(event_id=event.pk, section_id=section.id)
    blocks.block(
        event_id=event.pk,
        seat_ids=[seat.id for seat in seats[:wanted]],
        kind=blocks.HOUSE,
        reason="kept for the house",
    )


def _book_out(event: Event, wanted: int) -> None:
    """Book that many free places for other people, as many at a time as one may have."""
    rules = terms.of(event.pk)
    [pool] = inventory.pools(event.pk)
    for guest in count(1):
        number = min(wanted, rules.limit_per_fan)
        if not number:
            return
        owner = f"demo guest {guest}"
        placing.place(
            terms=rules,
            owner=owner,
            key=f"{owner} at {event.slug}",
            wish=Wish(pools=(PoolWish(pool.id, number),)),
        )
        hold = inventory.live_hold(event_id=event.pk, names=[owner])
        if hold is None:
            return
        booking = checkout.start(
            hold=hold, name=f"Guest {guest}", email=GUEST.format(guest), terms=rules
        )
        paying.pay(booking=booking, description=event.title, addresses=NOWHERE)
        wanted -= number
