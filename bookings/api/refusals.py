"""What the services refuse, as problem details."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from events.errors import CodeRefused
from inventory import selectors as inventory
from inventory.errors import (
    AccessNeeded,
    AccessUsedUp,
    AlreadyHolding,
    BadWish,
    HoldEnded,
    HoldLost,
    LimitReached,
    NoSuchPrice,
    PaymentStarted,
    PlacesTaken,
    SaleClosed,
    UnknownPlaces,
)
from ticketing.kernel.attempts import CannotCount, TooManyAttempts
from ticketing.kernel.idempotency import KeyReused
from ticketing.kernel.problems import BUSY, THROTTLED, Problem, ProblemShape, kind

# Seconds after which a store that did not answer may be asked again.
SOON = 30

KEY_NEEDED = kind("idempotency-key-needed", 400, _("An Idempotency-Key is needed"))
KEY_REUSED = kind("idempotency-key-reused", 422, _("The key was used for another wish"))
HOLD_ENDED = kind("hold-ended", 409, _("The hold of this key is over"))
HOLD_LOST = kind("hold-lost", 409, _("The hold is over"))
HOLD_BOOKED = kind("hold-booked", 409, _("The places are booked"))
PAYMENT_STARTED = kind("payment-started", 409, _("The payment has begun"))
SEATS_TAKEN = kind("seats-taken", 409, _("Seats are taken"))
FARE_FULL = kind("fare-full", 409, _("So many places are not left at the fare"))
POOL_FULL = kind("pool-full", 409, _("So many places are not free"))
ALREADY_HOLDING = kind("already-holding", 409, _("The customer has a live hold here"))
LIMIT_REACHED = kind("limit-reached", 409, _("One person may not have so many places here"))
SALE_CLOSED = kind("sale-closed", 409, _("The event does not sell now"))
CODE_NEEDED = kind("access-code-needed", 409, _("A presale runs, and it needs a code"))
CODE_REFUSED = kind("access-code-refused", 409, _("The code opens no presale here now"))
CODE_USED_UP = kind("access-code-used-up", 409, _("The code is in use as often as it may be"))
BAD_WISH = kind("bad-wish", 422, _("Nobody can be granted this"))
UNKNOWN_PLACES = kind("unknown-places", 422, _("The event has no such places"))
NO_SUCH_PRICE = kind("no-such-price", 422, _("The fare is not sold there"))

REFUSALS = (
    AccessUsedUp,
    AlreadyHolding,
    BadWish,
    CannotCount,
    CodeRefused,
    HoldEnded,
    HoldLost,
    KeyReused,
    LimitReached,
    PaymentStarted,
    PlacesTaken,
    SaleClosed,
    TooManyAttempts,
)


class TakenShape(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]


class HoldProblemShape(ProblemShape):
    """Why places are not held: `type` says which of these facts are told."""

    taken = TakenShape(many=True, required=False, help_text="Seats that somebody else has")
    seats = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Not of this event"
    )
    pools = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Full, or not of this event"
    )
    zone = serializers.IntegerField(required=False)
    fare = serializers.IntegerField(required=False, allow_null=True, help_text="Not sold in `zone`")
    hold = serializers.UUIDField(required=False, help_text="The hold that stands in the way")
    limit = serializers.IntegerField(required=False, help_text="Places of one person")
    owned = serializers.IntegerField(required=False, help_text="Of these, held or bought already")
    asked = serializers.IntegerField(required=False)
    opens_at = serializers.DateTimeField(required=False, allow_null=True)


# For the schema: what a hold, and what a wish for one, may be refused with.
OF_HOLD = {409: HoldProblemShape}
OF_WISH = {409: HoldProblemShape, 413: ProblemShape, 415: ProblemShape, 422: HoldProblemShape}


@contextmanager
def told() -> Iterator[None]:
    """Tell the caller what a service refuses in here."""
    try:
        yield
    except REFUSALS as refusal:
        raise _problem(refusal) from refusal


def _problem(refusal: Exception) -> Problem:  # noqa: PLR0911, PLR0912
    match refusal:
        case PlacesTaken() if refusal.seat_ids:
            labels = inventory.seat_labels(refusal.seat_ids)
            taken = [{"seat": seat_id, "label": label} for seat_id, label in labels.items()]
            return Problem(SEATS_TAKEN, taken=taken)
        case PlacesTaken() if refusal.fare_ids:
            pools, fares = sorted(refusal.pool_ids), sorted(refusal.fare_ids)
            return Problem(FARE_FULL, pools=pools, fares=fares)
        case PlacesTaken():
            return Problem(POOL_FULL, pools=sorted(refusal.pool_ids))
        case LimitReached():
            limit, owned, asked = refusal.limit, refusal.owned, refusal.asked
            return Problem(LIMIT_REACHED, limit=limit, owned=owned, asked=asked)
        case AlreadyHolding():
            return Problem(ALREADY_HOLDING, hold=refusal.reference)
        case HoldEnded():
            return Problem(HOLD_ENDED, _("A new wish takes a new key."), hold=refusal.reference)
        case HoldLost():
            return Problem(HOLD_LOST, _("Its places may be somebody else's."))
        case PaymentStarted():
            return Problem(PAYMENT_STARTED)
        case AccessNeeded():
            return Problem(CODE_NEEDED, opens_at=refusal.opens_at)
        case SaleClosed():
            return Problem(SALE_CLOSED, opens_at=refusal.opens_at)
        case AccessUsedUp():
            return Problem(CODE_USED_UP)
        case CodeRefused():
            return Problem(CODE_REFUSED)
        case TooManyAttempts():
            return Problem(THROTTLED, retry_after=refusal.retry_after)
        case CannotCount():
            return Problem(BUSY, _("Codes cannot be checked just now."), retry_after=SOON)
        case KeyReused():
            return Problem(KEY_REUSED)
        case UnknownPlaces():
            seats, pools = sorted(refusal.seat_ids), sorted(refusal.pool_ids)
            return Problem(UNKNOWN_PLACES, seats=seats, pools=pools)
        case NoSuchPrice():
            return Problem(NO_SUCH_PRICE, zone=refusal.zone_id, fare=refusal.fare_id)
        case _:
            return Problem(BAD_WISH, str(refusal))
