"""Make an event's places, once: a seat for each of its map's, a pool for each standing area."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from events.models import Event, EventState, Fee, FeeKind, PriceZone
from events.services import programme
from inventory.errors import OpeningRefused
from inventory.models import AdmissionPool, EventSeat
from ticketing.kernel import money, outbox
from ticketing.kernel.money import Money
from venues.models import Seat, SeatMap, SeatMapState, Section, SectionKind


@dataclass(frozen=True, slots=True)
class Opened:
    """How many places the event has; `is_new` is False if they were made before."""

    seats: int
    pools: int
    is_new: bool


def open_event(*, event_id: int, at: datetime) -> Opened:
    """Make the event's seats and pools and put it on the programme; a second call changes nothing.

    Raises OpeningRefused, with every reason at once, and Event.DoesNotExist.
    """
    with transaction.atomic(durable=True):
        event = Event.objects.select_for_update().get(pk=event_id)
        if event.opened_at:
            return _opened(event, is_new=False)
        reasons = _reasons_against(event)
        if reasons:
            raise OpeningRefused(reasons)
        if event.seat_map is not None:
            _make_seats(event, event.seat_map)
            _make_pools(event, event.seat_map)
        programme.mark_opened(event_id=event.pk, at=at)
        opened = _opened(event, is_new=True)
        outbox.publish(
            topic="inventory.event_opened",
            key=str(event.pk),
            payload={"event_id": event.pk, "seats": opened.seats, "pools": opened.pools},
        )
    return opened


def _opened(event: Event, *, is_new: bool) -> Opened:
    return Opened(
        seats=EventSeat.objects.filter(event=event).count(),
        pools=AdmissionPool.objects.filter(event=event).count(),
        is_new=is_new,
    )


def _reasons_against(event: Event) -> list[str]:
    reasons = []
    if event.state not in {EventState.DRAFT, EventState.PUBLISHED}:
        reasons.append(
            _("The event is %(state)s: only one that is a draft or on the programme can be opened.")
            % {"state": event.get_state_display()}
        )
    if not event.on_sales.exists():
        reasons.append(_("It has no on-sale: say from when until when it sells."))
    zones = list(event.price_zones.order_by("rank"))
    reasons += _against_prices(event, zones)
    if event.seat_map is None:
        if not AdmissionPool.objects.filter(event=event).exists():
            reasons.append(_("It has neither a seat map nor general admission: add one of them."))
    else:
        reasons += _against_map(event, event.seat_map, zones)
    return reasons


def _against_prices(event: Event, zones: list[PriceZone]) -> list[str]:
    fares = list(event.fares.order_by("rank"))
    if not zones:
        return [_("It has no price zone: add one, such as Stalls.")]
    if not fares:
        return [_("It has no fare: add at least one, such as Adult.")]
    if event.seat_map_id and fares[0].places != 1:
        return [
            _("“%(fare)s” is the first fare, which a fan gets who chooses none: it must take one")
            % {"fare": fares[0].name}
            + _(" place, since a seat is one.")
        ]
    prices = {
        (price.zone_id, price.fare_id): price.amount_minor
        for zone in zones
        for price in zone.prices.all()
    }
    fees = list(Fee.objects.filter(event=event))
    ticket_fees = sum(fee.amount_minor for fee in fees if fee.kind == FeeKind.TICKET)
    reasons = []
    for zone in zones:
        for fare in fares:
            names = {"zone": zone.name, "fare": fare.name}
            price = prices.get((zone.pk, fare.pk))
            if price is None and fare.places > 1:
                # No seat is sold at it; a pool sells it where it has a price.
                continue
            if price is None:
                reasons.append(_("“%(zone)s” has no price for “%(fare)s”.") % names)
            elif not _is_payable(Money(price + ticket_fees, event.currency)):
                reasons.append(
                    _("The price of “%(zone)s” for “%(fare)s”, fees included, cannot be paid in")
                    % names
                    + _(" %(currency)s: choose a rounder amount.") % {"currency": event.currency}
                )
    reasons += [
        _("The fee “%(fee)s” cannot be paid in %(currency)s: choose a rounder amount.")
        % {"fee": fee.name, "currency": event.currency}
        for fee in fees
        if fee.kind == FeeKind.BOOKING and not _is_payable(Money(fee.amount_minor, event.currency))
    ]
    return reasons


def _is_payable(amount: Money) -> bool:
    try:
        money.to_provider(amount)
    except money.UnpayableAmount:
        return False
    return True


def _against_map(event: Event, seat_map: SeatMap, zones: list[PriceZone]) -> list[str]:
    if seat_map.venue_id != event.venue_id:
        return [_("Its seat map is of another venue: choose one of this venue.")]
    if seat_map.state != SeatMapState.PUBLISHED:
        return [
            _("Its seat map “%(map)s” is %(state)s: choose a published one.")
            % {"map": seat_map, "state": seat_map.get_state_display()}
        ]
    used = _categories(seat_map)
    named: dict[str, list[str]] = {}
    for zone in zones:
        for category in zone.categories:
            named.setdefault(category, []).append(zone.name)
    reasons = [
        _("Category “%(category)s” of the seat map is in no price zone: add it to one.")
        % {"category": category}
        for category in sorted(used - named.keys())
    ]
    reasons += [
        _("Category “%(category)s” is in more than one price zone (%(zones)s): keep one.")
        % {"category": category, "zones": ", ".join(names)}
        for category, names in sorted(named.items())
        if len(names) > 1
    ]
    reasons += [
        _("“%(zone)s” names the category “%(category)s”, which the seat map does not have.")
        % {"zone": names[0], "category": category}
        for category, names in sorted(named.items())
        if category not in used
    ]
    return reasons


def _categories(seat_map: SeatMap) -> set[str]:
    seated = Seat.objects.filter(seat_map=seat_map).values_list("category", flat=True)
    standing = _standing(seat_map).values_list("category", flat=True)
    return {*seated.distinct(), *standing}


def _standing(seat_map: SeatMap) -> QuerySet[Section]:
    return Section.objects.filter(seat_map=seat_map, kind=SectionKind.STANDING)


# One statement, however large the hall.
MAKE_SEATS = """
INSERT INTO inventory_eventseat (event_id, seat_id, section_id, zone_id, state)
SELECT zone.event_id, seat.id, line.section_id, zone.id, 'available'
FROM venues_seat AS seat
JOIN venues_row AS line ON line.id = seat.row_id
JOIN events_pricezone AS zone ON zone.event_id = %s AND seat.category = ANY(zone.categories)
WHERE seat.seat_map_id = %s ORDER BY seat.index
"""


def _make_seats(event: Event, seat_map: SeatMap) -> None:
    with connection.cursor() as cursor:
        cursor.execute(MAKE_SEATS, [event.pk, seat_map.pk])
        made = cursor.rowcount
    there = Seat.objects.filter(seat_map=seat_map).count()
    if made != there:
        raise OpeningRefused([f"the map has {there} seats, but {made} were made"])


def _make_pools(event: Event, seat_map: SeatMap) -> None:
    """A pool for each standing area that staff have not given one already."""
    zones = {category: zone for zone in event.price_zones.all() for category in zone.categories}
    have = set(AdmissionPool.objects.filter(event=event).values_list("section_id", flat=True))
    AdmissionPool.objects.bulk_create(
        AdmissionPool(
            event=event,
            name=section.name,
            section=section,
            zone=zones[section.category],
            capacity=section.capacity,
        )
        for section in _standing(seat_map).order_by("rank")
        if section.pk not in have
    )
