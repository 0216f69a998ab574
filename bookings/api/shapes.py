"""What holds look like to partners' programs, and what these may wish."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from bookings.forms import MOST_SEATS
from bookings.services import checkout
from events import codes
from inventory.selectors import HoldView, LineView
from inventory.wishes import PoolWish, SeatWish, Wish
from ticketing.kernel.money import Money
from ticketing.kernel.shapes import MAX_ID, MoneyShape, StrictInteger, StrictString, Wished
from venues import naming

MOST_POOLS = 50
MOST_PLACES = 1000
# Visible ASCII: what names a customer in a partner's own house.
CUSTOMER = RegexValidator(r"^[!-~]{1,200}\Z")
STATES = ["active", "confirmed", "released", "expired"]


class SeatWishShape(Wished):
    id = StrictInteger(min_value=1, max_value=MAX_ID)
    fare = StrictInteger(
        min_value=1, max_value=MAX_ID, required=False, help_text="Else the event's first"
    )


class PoolWishShape(Wished):
    id = StrictInteger(min_value=1, max_value=MAX_ID)
    places = StrictInteger(
        min_value=1,
        max_value=MOST_PLACES,
        help_text="In whole tickets, where one ticket of the fare takes several places",
    )
    fare = StrictInteger(
        min_value=1, max_value=MAX_ID, required=False, help_text="Else the event's first"
    )


class WishShape(Wished):
    """Seats, places of pools, or both; all of them are held, or none."""

    seats = serializers.ListField(child=SeatWishShape(), required=False, max_length=MOST_SEATS)
    pools = serializers.ListField(child=PoolWishShape(), required=False, max_length=MOST_POOLS)

    @property
    def wish(self) -> Wish:
        seats, pools = (self.validated_data.get(name, []) for name in ("seats", "pools"))
        return Wish(
            seats=tuple(SeatWish(seat["id"], seat.get("fare")) for seat in seats),
            pools=tuple(PoolWish(pool["id"], pool["places"], pool.get("fare")) for pool in pools),
        )


class HoldWishShape(WishShape):
    customer = StrictString(
        validators=[CUSTOMER],
        required=False,
        help_text="Your reference of who it is for: limits count for each. Kept only as a hash",
    )
    access_code = StrictString(
        max_length=codes.LONGEST, required=False, help_text="The customer's presale code"
    )


class LineShape(serializers.Serializer[Any]):
    """A seat, or places of a pool at one fare; the price is of one ticket, its fee included."""

    seat = serializers.IntegerField(allow_null=True)
    pool = serializers.IntegerField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]
    zone = serializers.IntegerField()
    fare = serializers.IntegerField()
    places = serializers.IntegerField()
    admits = serializers.IntegerField(help_text="Places that one ticket takes; often 1")
    price = MoneyShape()
    fee = MoneyShape(help_text="What of the price is a fee")


class HoldShape(serializers.Serializer[Any]):
    reference = serializers.UUIDField(help_text="Names the hold in addresses")
    event = serializers.SlugField()
    state = serializers.ChoiceField(choices=STATES)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(help_text="Then its places are free again")
    extendable_until = serializers.DateTimeField()
    now = serializers.DateTimeField(help_text="Our clock: count down from here")
    lines = LineShape(many=True)
    booking_fee = MoneyShape(help_text="Once, whatever is held")
    total = MoneyShape()


def shown(hold: HoldView, lines: Sequence[LineView], *, slug: str) -> Mapping[str, Any]:
    """A `HoldShape`, in plain values since it is the answer to the hottest request."""
    return {
        "reference": hold.reference,
        "event": slug,
        "state": "expired" if hold.has_expired else str(hold.state),
        "created_at": hold.created_at,
        "expires_at": hold.expires_at,
        "extendable_until": hold.max_expires_at,
        "now": hold.asked_at,
        "lines": [_line(line) for line in lines],
        "booking_fee": _money(hold.booking_fee),
        "total": _money(checkout.total_of(hold, list(lines))),
    }


def _line(line: LineView) -> Mapping[str, Any]:
    return {
        "seat": line.seat_id,
        "pool": line.pool_id,
        "label": naming.place_name(line.section_name, line.row_label, line.seat_number),
        "zone": line.zone_id,
        "fare": line.fare_id,
        "places": line.places,
        "admits": line.admits,
        "price": _money(line.price + line.fee),
        "fee": _money(line.fee),
    }


def _money(money: Money) -> Mapping[str, Any]:
    return {"minor": money.minor, "currency": money.currency}
