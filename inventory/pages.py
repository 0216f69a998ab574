"""What inventory's pages say: each function is the context of one template."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events import selectors as events
from events.availability import Level
from events.pricing import FareName, PriceList
from events.selectors import EventView
from events.status import Status
from inventory import seatmap, selectors
from inventory.seatmap import SectionShown
from inventory.selectors import HoldView, PoolView, SeatView
from ticketing.kernel import times
from ticketing.kernel.money import Money, currency
from venues import selectors as venues
from venues.seatmaps import Kind
from venues.selectors import MapDrawing, SectionDrawing

# Up to this many seats the overview shows each of them.
SMALL_HOUSE = 2000
SELLING = {Status.ON_SALE, Status.FEW}
CLOSED = {Status.CANCELLED, Status.ENDED}
Problem = dict[str, str] | None
# The same words whatever is wrong with it: who guesses learns nothing.
CODE_REFUSED = gettext_lazy(
    "This code opens no presale here now. Please compare it with your letter, sign by sign; a code"
    " that has been used already does not work again."
)
CODE_UNCHECKED = gettext_lazy(
    "We cannot check codes just now. Nothing is wrong with yours: please try again in a minute."
)
# What a fan asked for, by pool and fare.
Quantities = Mapping[int, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Fan:
    """What the page knows of who looks at it."""

    # What he holds here already.
    own: HoldView | None = None
    # Whether a presale code of his opens the sale that is closed to others.
    has_code: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the page is his alone, so that nobody else may be shown it."""
        return self.own is not None or self.has_code

    @property
    def quantities(self) -> Quantities:
        """The places of pools that he holds."""
        held: dict[int, dict[int, int]] = {}
        for line in selectors.wish_of(self.own.id).pools if self.own else ():
            if line.fare_id:
                held.setdefault(line.pool_id, {})[line.fare_id] = line.places
        return held

    def may_change(self, event: EventView) -> bool:
        """Whether his hold may get other places: not once its payment has begun."""
        return self.own is not None and not self.own.payment_started_at and self.may_buy(event)

    def may_buy(self, event: EventView) -> bool:
        return event.status in SELLING or (event.status == Status.PRESALE and self.has_code)


def event_page(
    event: EventView,
    *,
    fan: Fan,
    quantities: Quantities,
    problem: Problem,
    code_problem: str | Promise,
) -> dict[str, Any]:
    prices = events.prices(event.id)
    drawn = venues.drawing(event.seat_map_id) if event.seat_map_id else None
    # A hall for standing only has no seats to choose, and one that is closed none to look at.
    shows_seats = (
        drawn is not None
        and drawn.seat_count > 0
        and event.is_opened
        and event.status not in CLOSED
    )
    return {
        "event": event,
        "prices": prices if prices.zones else None,
        "sections": _sections(event, drawn, prices) if drawn and shows_seats else [],
        "seatmap_url": _seatmap_url(event) if shows_seats else "",
        "pools": _pools(event, prices, quantities or fan.quantities) if fan.may_buy(event) else [],
        **_sends_to(event, fan),
        "may_buy": fan.may_buy(event),
        "code_error": code_problem,
        "own": _own(event, fan.own),
        "idempotency_key": uuid4().hex,
        "error": problem,
    }


def overview(event: EventView, *, fan: Fan) -> dict[str, Any]:
    drawn = _drawing(event)
    prices = events.prices(event.id)
    usual = drawn.width / seatmap.LABELS_ACROSS
    return {
        "event": event,
        "map": {
            "view_box": seatmap.view_box(drawn.width, drawn.height),
            "label_size": round(usual, 1),
            "shapes": [seatmap.shape(shape, usual) for shape in drawn.shapes],
            "sections": _sections(event, drawn, prices),
            **_all_seats(event, drawn, prices, fan.own),
        },
        "may_buy": fan.may_buy(event),
        "own": _own(event, fan.own),
        "prices": prices,
    }


def section_page(
    event: EventView,
    section: SectionDrawing,
    *,
    fan: Fan,
    picked: Collection[int] | None,
    taken: Collection[int],
    problem: Problem,
) -> dict[str, Any]:
    """The seats of a section; ticked are those that were picked, or those that the fan holds."""
    prices = events.prices(event.id).of_one_place()
    drawn = venues.rows(section.id)
    found = selectors.seats(event_id=event.id, section_id=section.id)
    seats = {seat.venue_seat_id: seat for seat in found}
    on_sale = fan.may_buy(event)
    own_hold_id = fan.own.id if fan.own else None
    mine = {seat.id for seat in found if fan.own and seat.hold_id == fan.own.id}
    elsewhere = selectors.places_of(fan.own.id) - len(mine) if fan.own else 0
    return {
        "event": event,
        "seatmap_url": _seatmap_url(event),
        "exponent": currency(event.currency).exponent,
        "section": {"name": section.name, "slug": section.slug, "front": _("Stage")}
        | seatmap.picture(drawn),
        "rows": seatmap.rows(
            drawn,
            seats,
            prices,
            own_hold_id=own_hold_id,
            picked=mine if picked is None else picked,
            taken=taken,
            on_sale=on_sale,
        ),
        "own": _own(event, fan.own),
        "on_sale": on_sale,
        "elsewhere": elsewhere,
        "limit": event.limit - elsewhere,
        **_sends_to(event, fan),
        "fares": prices.fares,
        "prices": _of_section(prices, found),
        "idempotency_key": uuid4().hex,
        "error": problem or _just_taken({seat.id for seat in found if not seat.is_free} & {*taken}),
    }


def problem_of(text: str) -> Problem:
    """What stands on top of a page that could not do as it was asked."""
    return {"title": _("That did not work"), "text": text} if text else None


def too_many_codes(seconds: int) -> str:
    minutes = -(-seconds // 60)
    said = ngettext(
        "That were very many tries. Please look your code up, and try again in %(n)s minute.",
        "That were very many tries. Please look your code up, and try again in %(n)s minutes.",
        minutes,
    )
    return said % {"n": minutes}


def _drawing(event: EventView) -> MapDrawing:
    if event.seat_map_id is None:
        raise LookupError(f"event {event.id} has no seat map")
    return venues.drawing(event.seat_map_id)


def _seatmap_url(event: EventView) -> str:
    return reverse("inventory:seats", args=[event.slug])


def _sections(event: EventView, drawn: MapDrawing, prices: PriceList) -> list[SectionShown]:
    """Every section with what is free in it; a standing one leads to the event's own form."""
    levels = {level.section_id: level for level in selectors.levels(event.id)}
    pools = {pool.section_id: pool for pool in selectors.pools(event.id)}
    cheapest = {zone.id: zone.from_price for zone in prices.zones}
    usual = drawn.width / seatmap.LABELS_ACROSS
    shown = []
    for section in drawn.sections:
        places = pools.get(section.id) or levels.get(section.id)
        if places is None:
            continue
        standing = section.kind == Kind.STANDING
        address = reverse("inventory:section", args=[event.slug, section.slug])
        x, y = section.label_at
        offered = [cheapest[zone_id] for zone_id in places.zone_ids]
        shown.append(
            SectionShown(
                id=section.id,
                name=section.name,
                url=f"{event.url}#places" if standing else address,
                outline=section.outline,
                label_x=x,
                label_y=seatmap.beside(y, x, usual, drawn.shapes),
                name_y=seatmap.top_at(x, section.outline, y) - usual * 0.8,
                label_size=seatmap.label_size(section.name, section.outline, usual),
                free=places.free,
                capacity=places.capacity,
                from_price=min((price for price in offered if price), default=None),
            )
        )
    return shown


def _all_seats(
    event: EventView, drawn: MapDrawing, prices: PriceList, own: HoldView | None
) -> dict[str, Any]:
    """Each seat as a dot, in a house that is small enough."""
    seated = [section for section in drawn.sections if section.kind == Kind.SEATED]
    if drawn.seat_count > SMALL_HOUSE or not seated:
        return {}
    colours = {zone.id: zone.color_index for zone in prices.zones}
    dots = [
        {
            "x": seat.x,
            "y": seat.y,
            "state": seatmap.state(seat, own.id if own else None),
            "zone_color_index": colours[seat.zone_id],
        }
        for seat in selectors.seats(event_id=event.id)
    ]
    radius = seatmap.spacing(row for section in seated for row in venues.rows(section.id))
    return {"seats": dots, "seat_radius": round(radius * seatmap.DISC, 2)}


def _of_section(prices: PriceList, seats: Collection[SeatView]) -> dict[str, Any]:
    """Only the zones that the section has."""
    here = {seat.zone_id for seat in seats}
    return {"fares": prices.fares, "zones": [zone for zone in prices.zones if zone.id in here]}


def _sends_to(event: EventView, fan: Fan) -> dict[str, Any]:
    """Where the form goes: to a new hold, or to the one that the fan has."""
    if fan.own and fan.may_change(event):
        return {"changes": True, "action": reverse("bookings:change", args=[fan.own.reference])}
    return {"changes": False, "action": reverse("bookings:place", args=[event.slug])}


def _just_taken(seat_ids: Collection[int]) -> Problem:
    """That others were faster at these seats; None if all of them are free after all."""
    names = [*selectors.seat_labels(seat_ids).values()] if seat_ids else []
    if not names:
        return None
    said = ngettext(
        "Somebody was faster: %(seats)s was just taken. Your other seats are still ticked.",
        "Somebody was faster: these were just taken: %(seats)s. Your other seats are still ticked.",
        len(names),
    )
    return problem_of(said % {"seats": "; ".join(names)})


def _own(event: EventView, hold: HoldView | None) -> dict[str, Any] | None:
    """The places that the fan can go on with, change or let go."""
    if hold is None:
        return None
    return {
        "places": selectors.places_of(hold.id),
        "until": times.clock(hold.expires_at, event.time_zone),
        "url": reverse("bookings:hold", args=[hold.reference]),
        "checkout_url": reverse("bookings:checkout", args=[hold.reference]),
        "release_url": reverse("bookings:release", args=[hold.reference]),
    }


def _pools(event: EventView, prices: PriceList, quantities: Quantities) -> list[dict[str, Any]]:
    return [
        _pool(pool, prices, quantities.get(pool.id, {}), event.limit)
        for pool in selectors.pools(event.id)
    ]


def _pool(pool: PoolView, prices: PriceList, has: Mapping[int, int], limit: int) -> dict[str, Any]:
    level = seatmap.level(pool.free, pool.capacity)
    cells = {cell.fare_id: cell.price for cell in prices.zone(pool.zone_id).cells}
    # Of who has none, one of the first fare, so that a click is enough.
    first = {fare.id: fare.places for fare in prices.fares[:1] if pool.free_at(fare.id)}
    shown = has or first
    return {
        "id": pool.id,
        "name": pool.name,
        "level": level,
        "level_text": seatmap.level_text(level, pool.free),
        "is_sold_out": level == Level.NONE and not has,
        "fares": [
            {
                "id": fare.id,
                "name": fare.name,
                "price": _text(cells[fare.id]),
                # Of tickets; what is held and what was asked for are places.
                "quantity": shown.get(fare.id, 0) // fare.places,
                "most": limit // fare.places,
                "note": _fare_note(fare, pool),
                # What the fan has he may keep, whatever is left.
                "is_sold_out": pool.free_at(fare.id) < fare.places and not has.get(fare.id),
            }
            for fare in prices.fares
            if cells[fare.id]
        ],
    }


def _fare_note(fare: FareName, pool: PoolView) -> str:
    """What is special about a fare: how many people it is for, how many tickets are left of it."""
    said = []
    if fare.places > 1:
        said.append(_("one ticket for %(n)s people") % {"n": fare.places})
    if pool.free_at(fare.id) < fare.places:
        said.append(_("sold out"))
    elif pool.free_at(fare.id) < pool.free:
        left = pool.free_at(fare.id) // fare.places
        said.append(ngettext("%(n)s left", "%(n)s left", left) % {"n": left})
    return ", ".join(said)


def _text(price: Money | None) -> str:
    return price.display() if price else ""
