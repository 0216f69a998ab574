"""What the pages know of events: frozen values, ready to be shown, in the venue's time."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import and_
from zoneinfo import ZoneInfo

from django.core.paginator import Page, Paginator
from django.db.models import DateField, DateTimeField, F, Func, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThanOrEqual
from django.urls import reverse

from events import availability, pricing
from events.availability import Level
from events.models import Event, EventState, Fee, FeeKind, OnSaleKind, Price
from events.pricing import FareName, PriceList, Zone
from events.status import Sale, Status, Window
from ticketing.kernel import times
from ticketing.kernel.money import Money

PER_PAGE = 24
MAX_WORDS = 6
MAX_QUERY = 100
POSTERS = 6


@dataclass(frozen=True, slots=True)
class EventView:
    """One event as every page shows it. Times that are text are in the venue's zone, and say so."""

    id: int
    slug: str
    url: str
    title: str
    series: str
    description: str
    organizer_id: int
    organizer: str
    venue_id: int
    venue: str
    address: str
    city: str
    country: str
    time_zone: str
    starts_at: datetime
    ends_at: datetime | None
    when: str
    doors: str
    currency: str
    limit: int
    seat_map_id: int | None
    is_opened: bool
    status: Status
    status_text: str
    # When the next sale opens, if one is to come.
    sale_opens_at: datetime | None
    sale_opens: str
    # Whether that next one is a presale, for those who have a code.
    is_presale_next: bool
    # When the next public sale opens, which the next sale may be.
    public_sale_opens: str
    # When the present public sale closes.
    sale_closes_at: datetime | None
    # When the present presale closes.
    presale_closes_at: datetime | None
    presale_closes: str
    # The lowest price with its fees; only in lists, where no price list is shown.
    from_price: Money | None
    # The poster is drawn from the title.
    hue: int
    pattern: int

    @property
    def zone_name(self) -> str:
        return self.time_zone.replace("_", " ")


def upcoming(*, at: datetime, query: str = "", page: str | int = 1) -> "Page[EventView]":
    """What is on, soonest first: everything announced that is not over by its venue's clock."""
    found = _public().filter(_not_over(at))
    words = query.replace("\0", " ").split()[:MAX_WORDS]
    if words:
        found = found.filter(reduce(and_, (_mentions(word) for word in words)))
    pages: Paginator[Event] = Paginator(found.order_by("starts_at", "pk"), PER_PAGE)
    shown = pages.get_page(page)
    events = list(shown.object_list)
    ids = [event.pk for event in events]
    levels, prices = availability.levels(ids), _from_prices(ids)
    views = [_view(event, at, levels.get(event.pk), prices.get(event.pk)) for event in events]
    return Page(views, shown.number, pages)  # type: ignore[arg-type]


def event_by_slug(slug: str, *, at: datetime) -> EventView | None:
    """The event as a fan may see it; None while it is a draft, or if there is none."""
    event = _public().filter(slug=slug).first()
    if event is None:
        return None
    return _view(event, at, availability.levels([event.pk]).get(event.pk), None)


def event_by_id(event_id: int, *, at: datetime) -> EventView | None:
    """The same by its id, drafts as well: for whoever has a booking, or the admin."""
    event = _all().filter(pk=event_id).first()
    if event is None:
        return None
    return _view(event, at, availability.levels([event.pk]).get(event.pk), None)


def slug_of(event_id: int) -> str:
    """What names the event in addresses. Raises Event.DoesNotExist."""
    return Event.objects.values_list("slug", flat=True).get(pk=event_id)


def prices(event_id: int) -> PriceList:
    """Every price with its fees. Raises Event.DoesNotExist."""
    event = Event.objects.only("currency").get(pk=event_id)
    fees = Fee.objects.filter(event=event).order_by("pk")
    bare = Price.objects.filter(zone__event=event)
    return pricing.price_list(
        currency=event.currency,
        zones=[
            Zone(zone.pk, zone.name, zone.rank, zone.categories)
            for zone in event.price_zones.order_by("rank")
        ],
        fares=[FareName(fare.pk, fare.name, fare.places) for fare in event.fares.order_by("rank")],
        prices={(price.zone_id, price.fare_id): price.amount_minor for price in bare},
        ticket_fees=sum(fee.amount_minor for fee in fees if fee.kind == FeeKind.TICKET),
        booking_fees=[(fee.name, fee.amount_minor) for fee in fees if fee.kind == FeeKind.BOOKING],
    )


def _all() -> "QuerySet[Event]":
    return Event.objects.select_related("venue", "series", "organizer").prefetch_related("on_sales")


def _public() -> "QuerySet[Event]":
    return _all().exclude(state=EventState.DRAFT)


def _not_over(at: datetime) -> Q:
    """Until its end; where none is told, until the venue's day is over."""
    start_day = Cast(_there(F("starts_at")), DateField())
    today = Cast(_there(Value(at, DateTimeField())), DateField())
    return Q(ends_at__gt=at) | Q(Q(ends_at=None), GreaterThanOrEqual(start_day, today))


def _there(moment: "F | Value") -> Func:
    zone = F("venue__time_zone")
    return Func(zone, moment, function="timezone", output_field=DateTimeField())


def _mentions(word: str) -> Q:
    fields = ("title", "venue__name", "venue__city", "series__name")
    return Q(*((f"{field}__icontains", word) for field in fields), _connector=Q.OR)


def _from_prices(event_ids: Sequence[int]) -> dict[int, Money]:
    fees = dict(
        Fee.objects.filter(event__in=event_ids, kind=FeeKind.TICKET)
        .values_list("event_id")
        .annotate(Sum("amount_minor"))
    )
    found: dict[int, Money] = {}
    rows = Price.objects.filter(zone__event__in=event_ids).order_by("-amount_minor")
    for event_id, currency, bare in rows.values_list(
        "zone__event_id", "zone__event__currency", "amount_minor"
    ):
        found[event_id] = Money(bare + fees.get(event_id, 0), currency)
    return found


def _is_over(event: Event, at: datetime) -> bool:
    if event.ends_at:
        return event.ends_at <= at
    zone = ZoneInfo(event.venue.time_zone)
    return event.starts_at.astimezone(zone).date() < at.astimezone(zone).date()


def _view(event: Event, at: datetime, level: Level | None, from_price: Money | None) -> EventView:
    venue, zone = event.venue, event.venue.time_zone
    windows = [
        Window(OnSaleKind(sale.kind), sale.opens_at, sale.closes_at)
        for sale in event.on_sales.all()
    ]
    sale = Sale(
        state=EventState(event.state),
        is_paused=event.is_paused,
        is_opened=event.opened_at is not None,
        is_over=_is_over(event, at),
        windows=windows,
        level=level or Level.MANY,
    )
    coming = sale.next_window(at)
    coming_public = sale.next_window(at, of={OnSaleKind.PUBLIC})
    presale_closes_at = sale.closes_at(at, OnSaleKind.PRESALE)
    digest = hashlib.sha256(event.title.encode()).digest()
    return EventView(
        id=event.pk,
        slug=event.slug,
        url=reverse("inventory:event", args=[event.slug]),
        title=event.title,
        series=event.series.name if event.series else "",
        description=event.description or (event.series.description if event.series else ""),
        organizer_id=event.organizer_id,
        organizer=event.organizer.name,
        venue_id=venue.pk,
        venue=venue.name,
        address=venue.address,
        city=venue.city,
        country=venue.country,
        time_zone=zone,
        starts_at=event.starts_at,
        ends_at=event.ends_at,
        when=times.spoken(event.starts_at, zone),
        doors=times.clock(event.doors_at, zone) if event.doors_at else "",
        currency=event.currency,
        limit=event.limit_per_fan,
        seat_map_id=event.seat_map_id,
        is_opened=sale.is_opened,
        status=sale.status(at),
        status_text=sale.text(at, zone),
        sale_opens_at=coming.opens_at if coming else None,
        sale_opens=_spoken(coming, zone),
        is_presale_next=coming is not None and coming.kind == OnSaleKind.PRESALE,
        public_sale_opens=_spoken(coming_public, zone),
        sale_closes_at=sale.closes_at(at, OnSaleKind.PUBLIC),
        presale_closes_at=presale_closes_at,
        presale_closes=times.spoken(presale_closes_at, zone) if presale_closes_at else "",
        from_price=from_price,
        hue=int.from_bytes(digest[:2], "big") % 360,
        pattern=digest[2] % POSTERS,
    )


def _spoken(window: Window | None, zone: str) -> str:
    """When a window opens, in the venue's time."""
    return times.spoken(window.opens_at, zone) if window else ""
