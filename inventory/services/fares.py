"""Changing who held places are for: another fare, at the price of now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction

from events.terms import Terms
from inventory.errors import HoldLost, NoSuchPrice, PaymentStarted
from inventory.models import HoldLine
from inventory.services import counts, grants, holds, locks


def change_fares(*, reference: UUID, owner: str, terms: Terms, fares: Mapping[int, int]) -> None:
    """Give lines of a live hold other fares; `fares` is by line.

    All or none. Raises HoldLost, PaymentStarted once the amount is frozen, NoSuchPrice,
    BrokenTickets, or PlacesTaken when a fare's cap is reached.
    """
    with transaction.atomic(durable=True):
        hold = holds.lock_live(reference=reference, owner=owner)
        if hold.payment_started_at:
            raise PaymentStarted(reference)
        lines = list(HoldLine.objects.filter(hold_id=hold.id).order_by("pk"))
        if fares.keys() - {line.pk for line in lines}:
            raise HoldLost("a line is not of this hold")
        changed = [line for line in lines if fares.get(line.pk, line.fare_id) != line.fare_id]
        _change_seats([line for line in changed if line.seat_id], terms, fares)
        if any(line.pool_id for line in changed):
            locks.pools_of([hold.id])
            _change_places([line for line in lines if line.pool_id], terms, fares)


def _change_seats(lines: Sequence[HoldLine], terms: Terms, fares: Mapping[int, int]) -> None:
    for line in lines:
        rate = grants.rate(terms, line.zone_id, fares[line.pk])
        if rate.places != 1:
            raise NoSuchPrice(zone_id=line.zone_id, fare_id=fares[line.pk])
        line.fare_id = fares[line.pk]
        line.price_minor, line.fee_minor = rate.price_minor, rate.fee_minor
    HoldLine.objects.bulk_update(lines, ["fare", "price_minor", "fee_minor"])


def _change_places(lines: Sequence[HoldLine], terms: Terms, fares: Mapping[int, int]) -> None:
    """Move places between the lines of each pool, of which there is one for a fare.

    A line that was there before keeps its price, also for what joins it.
    """
    there = {(line.pool_id or 0, line.fare_id): line for line in lines}
    wanted: Counter[tuple[int, int]] = Counter()
    more: Counter[tuple[int, int]] = Counter()
    for (pool_id, fare_id), line in there.items():
        wanted[pool_id, fares.get(line.pk, fare_id)] += line.places
        more[pool_id, fare_id] -= line.places
    more.update(wanted)
    for key, places in wanted.items():
        line = there[key] if key in there else _new(*key, lines, terms)
        grants.check_whole(fare_id=line.fare_id, admits=line.admits, places=places)
        line.places = places
        line.save()
    left = [line.pk for key, line in there.items() if key not in wanted]
    HoldLine.objects.filter(pk__in=left).delete()
    counts.take(event_id=terms.event_id, places=more)


def _new(pool_id: int, fare_id: int, lines: Sequence[HoldLine], terms: Terms) -> HoldLine:
    old = next(line for line in lines if line.pool_id == pool_id)
    rate = grants.rate(terms, old.zone_id, fare_id)
    return HoldLine(
        hold_id=old.hold_id,
        pool_id=pool_id,
        zone_id=old.zone_id,
        fare_id=fare_id,
        admits=rate.places,
        price_minor=rate.price_minor,
        fee_minor=rate.fee_minor,
    )
