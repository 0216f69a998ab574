"""Rows for tests: what nobody guards comes from a factory, what has states from its service."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.utils import timezone
from factory.declarations import LazyFunction, Sequence, SubFactory
from factory.django import DjangoModelFactory

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
from events.services import access
from inventory.models import AdmissionPool
from inventory.services import opening
from payments.models import Movement, MovementKind, Payment, PaymentState
from ticketing.accounts.models import User
from venues.models import Row, Seat, SeatMap, SeatMapState, Section, SectionKind, Venue

_numbers = count(1)


class UserFactory(DjangoModelFactory[User]):
    class Meta:
        model = User

    email = Sequence(lambda n: f"user{n}@example.org")
    name = "Ada Lovelace"


class OrganizerFactory(DjangoModelFactory[Organizer]):
    class Meta:
        model = Organizer

    name = Sequence(lambda n: f"Organizer {n}")
    slug = Sequence(lambda n: f"organizer-{n}")


class SeriesFactory(DjangoModelFactory[Series]):
    class Meta:
        model = Series

    organizer = SubFactory(OrganizerFactory)
    name = Sequence(lambda n: f"Series {n}")
    slug = Sequence(lambda n: f"series-{n}")


class VenueFactory(DjangoModelFactory[Venue]):
    class Meta:
        model = Venue

    name = Sequence(lambda n: f"Hall {n}")
    slug = Sequence(lambda n: f"hall-{n}")
    city = "Berlin"
    country = "DE"
    time_zone = "Europe/Berlin"


class EventFactory(DjangoModelFactory[Event]):
    """A draft in 30 days, with nothing to sell yet."""

    class Meta:
        model = Event

    organizer = SubFactory(OrganizerFactory)
    title = Sequence(lambda n: f"Evening {n}")
    slug = Sequence(lambda n: f"evening-{n}")
    venue = SubFactory(VenueFactory)
    starts_at = LazyFunction(lambda: timezone.now() + timedelta(days=30))
    currency = "EUR"


def published_map(
    venue: Venue,
    *,
    rows: int = 2,
    seats_per_row: int = 10,
    sections: int = 1,
    standing: int = 0,
) -> SeatMap:
    """A section "Stalls" of category "Stalls", and a standing area "Floor" if asked for.

    Rows are A, B, C …; seats are numbered from 1, and A-1 is the guid of the first. More `sections`
    share the rows, in their order.
    """
    seat_map = SeatMap.objects.create(
        venue=venue,
        name="Plan",
        version=next(_numbers),
        width=1000,
        height=800,
        categories=[{"name": name, "color": ""} for name in ("Stalls", "Floor")],
    )
    if rows:
        _add_stalls(seat_map, rows=rows, seats_per_row=seats_per_row, sections=sections)
    if standing:
        Section.objects.create(
            seat_map=seat_map,
            name="Floor",
            slug="floor",
            kind=SectionKind.STANDING,
            rank=sections,
            capacity=standing,
            category="Floor",
        )
    SeatMap.objects.filter(pk=seat_map.pk).move_to(
        SeatMapState.PUBLISHED, content_hash=f"{seat_map.pk:064x}", published_at=timezone.now()
    )
    seat_map.refresh_from_db()
    return seat_map


def _add_stalls(seat_map: SeatMap, *, rows: int, seats_per_row: int, sections: int) -> None:
    stalls = [
        Section.objects.create(
            seat_map=seat_map,
            name=f"Stalls {rank + 1}" if rank else "Stalls",
            slug=f"stalls-{rank + 1}" if rank else "stalls",
            rank=rank,
            outline=[[0, 0], [1000, 0], [1000, 800], [0, 800]],
        )
        for rank in range(sections)
    ]
    labels = [_label(number) for number in range(rows)]
    made = Row.objects.bulk_create(
        Row(section=stalls[rank * sections // rows], label=label, rank=rank)
        for rank, label in enumerate(labels)
    )
    Seat.objects.bulk_create(
        Seat(
            seat_map=seat_map,
            row=row,
            guid=f"{row.label}-{position + 1}",
            number=str(position + 1),
            category="Stalls",
            position=position,
            index=row.rank * seats_per_row + position,
            x=20 + 25 * position,
            y=100 + 30 * row.rank,
        )
        for row in made
        for position in range(seats_per_row)
    )


def _label(number: int) -> str:
    letter = chr(ord("A") + number % 26)
    return letter if number < 26 else f"{letter}{number // 26}"


def draft_event(
    *,
    rows: int = 2,
    seats_per_row: int = 10,
    sections: int = 1,
    pool_capacity: int = 0,
    price_minor: int = 5000,
    fees: Mapping[FeeKind, int] | None = None,
    sale_opens_at: datetime | None = None,
    sale_closes_at: datetime | None = None,
    **event_fields: Any,
) -> Event:
    """An event ready to be opened: a zone "Stalls" if it has rows, a zone "Floor" if it has a pool.

    Fares are Adult, at `price_minor`, and Child, at half of it. It sells from yesterday until it
    starts. Without rows it is general admission only, with a pool of its own.
    """
    event = EventFactory.create(**event_fields)
    if rows:
        event.seat_map = published_map(
            event.venue,
            rows=rows,
            seats_per_row=seats_per_row,
            sections=sections,
            standing=pool_capacity,
        )
        event.save(update_fields=["seat_map"])
    names = [name for name, there in [("Stalls", rows), ("Floor", pool_capacity)] if there]
    zones = [
        PriceZone.objects.create(
            event=event, name=name, rank=rank, categories=[name] if rows else []
        )
        for rank, name in enumerate(names)
    ]
    for rank, (name, amount) in enumerate([("Adult", price_minor), ("Child", price_minor // 2)]):
        fare = Fare.objects.create(event=event, name=name, rank=rank)
        for zone in zones:
            Price.objects.create(zone=zone, fare=fare, amount_minor=amount)
    for kind, amount in (fees or {}).items():
        Fee.objects.create(event=event, name=f"Fee {kind}", kind=kind, amount_minor=amount)
    if pool_capacity and not rows:
        AdmissionPool.objects.create(
            event=event, name="Floor", zone=zones[0], capacity=pool_capacity
        )
    OnSale.objects.create(
        event=event,
        opens_at=sale_opens_at or timezone.now() - timedelta(days=1),
        closes_at=sale_closes_at or event.starts_at,
    )
    return event


def add_fare(event: Event, name: str, *, price_minor: int = 3000, places: int = 1) -> int:
    """One fare more, the last, at this price in every zone; returns its pk."""
    fare = Fare.objects.create(event=event, name=name, rank=event.fares.count(), places=places)
    for zone in event.price_zones.all():
        Price.objects.create(zone=zone, fare=fare, amount_minor=price_minor)
    return fare.pk


def opened_event(**wishes: Any) -> Event:
    """A `draft_event` of the same arguments, opened: its seats and pools are there, it sells."""
    event = draft_event(**wishes)
    opening.open_event(event_id=event.pk, at=timezone.now())
    event.refresh_from_db()
    return event


def presale_code(event: Event, **limits: int) -> str:
    """A code of a presale that runs now; the public sale of the event opens in an hour."""
    now = timezone.now()
    OnSale.objects.filter(event=event, kind=OnSaleKind.PUBLIC).update(
        opens_at=now + timedelta(hours=1)
    )
    presale, _ = OnSale.objects.get_or_create(
        event=event,
        kind=OnSaleKind.PRESALE,
        defaults={"opens_at": now - timedelta(hours=1), "closes_at": now + timedelta(hours=1)},
    )
    [code] = access.make(on_sale_id=presale.pk, number=1, **limits)
    return code


def captured_payment(reference: str) -> Payment:
    """One euro, taken; the provider's session is cs_1 and its intent pi_1."""
    now = timezone.now()
    payment = Payment.objects.create(
        reference=reference,
        provider="stripe",
        state=PaymentState.CAPTURED,
        amount_minor=100,
        captured_minor=100,
        currency="EUR",
        provider_session="cs_1",
        provider_intent="pi_1",
        deadline_at=now,
        settled_at=now,
    )
    for kind in (MovementKind.AUTHORIZED, MovementKind.CAPTURED):
        movement(payment, kind, 100)
    return payment


def movement(payment: Payment, kind: MovementKind, minor: int, **changes: Any) -> Movement:
    """A row of the ledger, as if money had moved."""
    row = {"currency": payment.currency, "provider_id": "pi_1", "at": timezone.now()} | changes
    return Movement.objects.create(payment=payment, kind=kind, amount_minor=minor, **row)
