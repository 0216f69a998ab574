"""Ending a hold that staff wants gone."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from inventory.errors import HoldLost, PaymentStarted
from inventory.models import Hold, HoldRelease, HoldState
from inventory.services import holds, locks
from ticketing.kernel.acting import Actor


class Ended(StrEnum):
    """How the hold ended, or that it had."""

    RELEASED = "released"
    # Its lease was over: it was free before anybody asked.
    EXPIRED = "expired"
    WAS_OVER = "was over"


def release(
    *,
    reference: UUID,
    why: str,
    by: Actor,
    even_if_paying: bool = False,
    at: datetime | None = None,
) -> Ended:
    """End a live hold, whoever's it is; its places go where it returns to.

    Raises PaymentStarted once its payment has begun, unless told otherwise: then whatever money
    comes goes back by itself, since nobody can buy by a hold that was released. A lapsed hold
    expires as it would have by itself. Raises HoldLost if there is no such hold.
    """
    hold_id = Hold.objects.filter(reference=reference).values_list("pk", flat=True).first()
    if hold_id is None:
        raise HoldLost(f"no hold {reference}")
    with transaction.atomic(durable=True):
        [hold] = locks.holds([hold_id])
        if hold.state != HoldState.ACTIVE:
            return Ended.WAS_OVER
        now = at or locks.clock()
        if hold.has_lapsed(now):
            holds.end([hold_id], HoldState.EXPIRED, now)
            return Ended.EXPIRED
        if hold.payment_started_at and not even_if_paying:
            raise PaymentStarted(reference)
        holds.end([hold_id], HoldState.RELEASED, now)
        HoldRelease.objects.create(hold_id=hold_id, why=why, at=now, **by.fields)
    return Ended.RELEASED
