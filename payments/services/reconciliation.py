"""Learning how every payment ended that nobody finished, and finishing it."""

import logging
import time
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from payments.errors import PaymentError
from payments.models import CallState, Payment
from payments.services import events, outcomes, progress

logger = logging.getLogger(__name__)

# Longer than asking about one payment may take; if we die, another asks after it.
LEASE = timedelta(seconds=60)
# With a silent provider a batch would take for ever: what is left is asked about later.
LONGEST_BATCH = timedelta(seconds=30)


def reconcile_batch(*, at: datetime, limit: int) -> Mapping[str, int]:
    """Ask about up to `limit` payments that are due, skipping those that somebody works on.

    Events that came before their payment are taken up again. Returns how many of them, how many
    payments by the state they are in now, and how many are still unknown. Calls the provider.
    """
    counts: Counter[str] = Counter(events=events.retry(at=at, limit=limit))
    ends = time.monotonic() + LONGEST_BATCH.total_seconds()
    for payment in _claim(at, limit):
        if time.monotonic() > ends:
            break
        try:
            progress.advance(payment=payment, at=at)
        except PaymentError:
            logger.exception("payment %s cannot go on", payment.reference)
        after = outcomes.plan(payment_id=payment.pk, at=at)
        counts[after.state] += 1
        counts["unknown"] += after.calls.filter(state=CallState.UNKNOWN).exists()
    return counts


def hasten(*, at: datetime) -> None:
    """Make every payment that is not at rest due now, however long its pause would last."""
    Payment.objects.exclude(next_check_at=None).update(next_check_at=at)


def _claim(at: datetime, limit: int) -> list[Payment]:
    with transaction.atomic(durable=True):
        claimed = list(Payment.objects.due(at).select_for_update(skip_locked=True)[:limit])
        Payment.objects.filter(pk__in=[payment.pk for payment in claimed]).update(
            next_check_at=at + LEASE, checks=F("checks") + 1
        )
    return claimed
