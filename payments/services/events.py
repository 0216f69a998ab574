"""Webhooks: stored first, understood later. They only say where to look; the provider is asked."""

import functools
import logging
import operator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from payments.errors import PaymentError
from payments.models import EventState, Payment, PaymentState, ProviderEvent
from payments.services import progress
from ticketing.kernel import outbox

logger = logging.getLogger(__name__)

# Each of them leads from an event to its payment.
NAMES = ("reference", "provider_session", "provider_intent")
# What changes a payment of ours; the provider tells much more.
OF_INTEREST = frozenset(
    {
        "checkout.session.completed",
        "checkout.session.expired",
        "payment_intent.amount_capturable_updated",
        "payment_intent.canceled",
        "payment_intent.payment_failed",
        "payment_intent.succeeded",
        "charge.dispute.closed",
        "charge.dispute.created",
        "charge.dispute.funds_reinstated",
        "charge.dispute.funds_withdrawn",
        "charge.expired",
        "charge.refund.updated",
        "charge.refunded",
        # The fee of a charge may be known only later.
        "charge.updated",
        "refund.failed",
        "refund.updated",
    }
)
# What an event tells of a payment in one of these states is known: a purchase brings three of them,
# and each question to the provider costs more than a hold.
_RESERVED = {PaymentState.AUTHORIZED, PaymentState.CAPTURED}
KNOWN_BY = {
    "checkout.session.completed": _RESERVED,
    "payment_intent.amount_capturable_updated": _RESERVED,
    "payment_intent.succeeded": {PaymentState.CAPTURED},
}
# An event of a payment that we do not know is taken up again, this old and no older.
FIRST_RETRY = timedelta(seconds=10)
LAST_RETRY = timedelta(days=1)


def receive(*, provider: str, event: dict[str, Any]) -> bool:
    """Store a verified event and ask for its processing; False if it is stored already."""
    with transaction.atomic(durable=True):
        stored, is_new = ProviderEvent.objects.get_or_create(
            provider=provider,
            event_id=event["id"],
            defaults={"kind": event["type"][:80], "payload": event, **_names(event)},
        )
        if is_new and stored.kind not in OF_INTEREST:
            _handled(stored, EventState.IGNORED)
        elif is_new:
            outbox.publish(
                topic="payments.provider_event_received",
                key=str(stored.pk),
                payload={"provider_event_id": stored.pk},
            )
    return is_new


def process(*, provider_event_id: int) -> bool:
    """Bring the event's payment up to date; False while we know no such payment.

    Calls the provider, unless the event tells what is known. May run twice: what the provider says
    counts, not how often it is asked.
    """
    event = ProviderEvent.objects.get(pk=provider_event_id)
    if event.state != EventState.RECEIVED:
        return True
    payment = _payment_of(event)
    if payment is None:
        return False
    if _is_known(event, payment):
        return _handled(event, EventState.PROCESSED)
    progress.advance(payment=payment, at=timezone.now())
    return _handled(event, EventState.PROCESSED)


def retry(*, at: datetime, limit: int) -> int:
    """Process events whose payment came after them; returns how many were."""
    # Only those: others of the same account may be told a lot that is not about us.
    ours = [
        Exists(Payment.objects.filter(**{field: OuterRef(field)}).exclude(**{field: ""}))
        for field in NAMES
    ]
    waiting = ProviderEvent.objects.filter(
        functools.reduce(operator.or_, (Q(is_ours) for is_ours in ours)),
        state=EventState.RECEIVED,
        received_at__lte=at - FIRST_RETRY,
        received_at__gt=at - LAST_RETRY,
    ).order_by("received_at")
    return sum(_try(event) for event in waiting[:limit])


def _try(event: ProviderEvent) -> bool:
    try:
        return process(provider_event_id=event.pk)
    except PaymentError:
        logger.exception("event %s cannot be processed", event.event_id)
        return False


def _is_known(event: ProviderEvent, payment: Payment) -> bool:
    """Whether the provider said as much of this very session or intent when it was asked."""
    return (
        payment.state in KNOWN_BY.get(event.kind, ())
        and event.provider_session in {"", payment.provider_session}
        and event.provider_intent in {"", payment.provider_intent}
    )


def _handled(event: ProviderEvent, state: EventState) -> bool:
    ProviderEvent.objects.filter(pk=event.pk).move_to(state, handled_at=timezone.now())
    return True


def _payment_of(event: ProviderEvent) -> Payment | None:
    matches = Q(pk=None)
    for field in NAMES:
        if name := getattr(event, field):
            matches |= Q(**{field: name})
    return Payment.objects.filter(matches, provider=event.provider).first()


def _names(event: dict[str, Any]) -> dict[str, str]:
    """The names under which the event's object leads to a payment."""
    thing = event.get("data", {}).get("object", {})
    metadata = thing.get("metadata") or {}
    kind, identity = thing.get("object"), thing.get("id") or ""
    intent = identity if kind == "payment_intent" else thing.get("payment_intent")
    return {
        "reference": str(thing.get("client_reference_id") or metadata.get("reference") or "")[:60],
        "provider_session": identity if kind == "checkout.session" else "",
        "provider_intent": intent if isinstance(intent, str) else "",
    }
