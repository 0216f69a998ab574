"""Changing who a held seat is for: another fare, at the price of now."""

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction

from events.terms import Terms
from inventory.errors import HoldLost, NoSuchPrice, PaymentStarted
from inventory.models import HoldLine
from inventory.services import holds


def change_fares(*, reference: UUID, owner: str, terms: Terms, fares: Mapping[int, int]) -> None:
    """Give lines of a live hold other fares; `fares` is by line.

    All or none. Raises HoldLost, PaymentStarted once the amount is frozen, or NoSuchPrice.
    """
    with transaction.atomic(durable=True):
        hold = holds.lock_live(reference=reference, owner=owner)
        if hold.payment_started_at:
            raise PaymentStarted(reference)
        lines = HoldLine.objects.filter(hold_id=hold.id, pk__in=fares)
        if len(lines) != len(fares):
            raise HoldLost("a line is not of this hold")
        for line in lines:
            rate = terms.rates.get((line.zone_id, fares[line.pk]))
            if rate is None:
                raise NoSuchPrice(zone_id=line.zone_id, fare_id=fares[line.pk])
            line.fare_id = fares[line.pk]
            line.price_minor, line.fee_minor = rate.price_minor, rate.fee_minor
        HoldLine.objects.bulk_update(lines, ["fare", "price_minor", "fee_minor"])
