"""Comparing our payments with the provider's own list of them, and naming every difference.

Nothing is mended by a guess. A payment that differs is asked about again, the way reconciliation
asks; what still differs after that is for people.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from payments import stripe
from payments.errors import PaymentError
from payments.gateway import Entry, Standing
from payments.models import Payment, PaymentState
from payments.services import calls, progress
from ticketing.kernel import transactions
from ticketing.kernel.money import Money

logger = logging.getLogger(__name__)

NOTHING = "nothing"
# How a payment in each of our states may stand at the provider.
MAY_STAND = {
    PaymentState.CREATED: {Standing.NOTHING},
    PaymentState.PENDING: {Standing.NOTHING},
    PaymentState.AUTHORIZED: {Standing.AUTHORIZED},
    PaymentState.CAPTURED: {Standing.CAPTURED},
    PaymentState.DECLINED: {Standing.NOTHING, Standing.CANCELED},
    PaymentState.EXPIRED: {Standing.NOTHING, Standing.CANCELED},
    PaymentState.VOIDED: {Standing.CANCELED},
    PaymentState.CAPTURE_FAILED: {Standing.CANCELED},
}
# These were never more than a wish, so the provider need not know them.
NEVER_THERE = {
    PaymentState.CREATED,
    PaymentState.PENDING,
    PaymentState.DECLINED,
    PaymentState.EXPIRED,
}
HAS_MONEY = {Standing.AUTHORIZED, Standing.CAPTURED}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that we and the provider do not agree on, in words for staff."""

    subject: str
    what: str
    here: str
    there: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.what}: here {self.here}, at the provider {self.there}"


@dataclass(frozen=True, slots=True)
class Comparison:
    payments: int
    # Agreed on after asking again, and still not.
    mended: list[Difference]
    left: list[Difference]


def compare(*, since: datetime, at: datetime) -> Comparison:
    """Compare every payment made since then, both ways. Calls the provider.

    Raises OutcomeUnknown when it cannot be asked, and then nothing was compared.
    """
    transactions.forbid()
    ours = Payment.objects.filter(provider=stripe.NAME, created_at__gte=since)
    pks = list(ours.values_list("pk", flat=True))
    first = _differences(pks, since)
    if not first:
        return Comparison(len(pks), [], [])
    for payment in Payment.objects.filter(pk__in=[pk for pk, _ in first if pk]):
        try:
            progress.advance(payment=payment, at=at)
        except PaymentError:
            logger.exception("payment %s cannot go on", payment.reference)
    left = _differences(pks, since)
    subjects = {difference.subject for _, difference in left}
    return Comparison(
        payments=len(pks),
        mended=[difference for _, difference in first if difference.subject not in subjects],
        left=[difference for _, difference in left],
    )


def _differences(pks: list[int], since: datetime) -> list[tuple[int | None, Difference]]:
    """All that differ now, with the payment of ours that does, if it is one of ours."""
    entries = calls.gateway_named(stripe.NAME).statement(since=since - calls.SKEW)
    by_intent = {entry.intent: entry for entry in entries}
    by_reference = {entry.reference: entry for entry in entries if entry.reference}
    found: list[tuple[int | None, Difference]] = []
    # Read after the provider was asked: what moved in between is asked about again.
    for payment in Payment.objects.filter(pk__in=pks).order_by("pk").iterator():
        entry = by_intent.get(payment.provider_intent)
        if not payment.provider_intent:
            entry = by_reference.get(payment.reference)
        found += [(payment.pk, difference) for difference in _of_payment(payment, entry)]
    found += [(None, difference) for difference in _unknown_here(entries)]
    return found


def _of_payment(payment: Payment, entry: Entry | None) -> Iterator[Difference]:
    def differs(what: str, here: object, there: object) -> Difference:
        return Difference(f"payment {payment.reference}", what, str(here), str(there))

    if entry is None:
        if payment.state not in NEVER_THERE and payment.amount_minor:
            yield differs("known", payment.get_state_display(), NOTHING)
        return
    if entry.standing not in MAY_STAND[PaymentState(payment.state)]:
        yield differs("state", payment.get_state_display(), entry.standing.value)
    if entry.amount != payment.amount:
        yield differs("amount", payment.amount, entry.amount)
    taken = Money(payment.captured_minor, payment.currency)
    if entry.captured != taken:
        yield differs("taken", taken, entry.captured)
    back = Money(payment.refunded_minor, payment.currency)
    if entry.refunded != back:
        yield differs("given back", back, entry.refunded)


def _unknown_here(entries: list[Entry]) -> Iterator[Difference]:
    """Money at the provider that no payment of ours accounts for, such as one charged twice."""
    paid = [entry for entry in entries if entry.standing in HAS_MONEY]
    intents = [entry.intent for entry in paid]
    # One that has no intent yet may be this one: it is asked about by its reference.
    open_ones = Q(provider_intent="", reference__in=[entry.reference for entry in paid])
    known = Payment.objects.filter(Q(provider_intent__in=intents) | open_ones)
    names = {name for row in known.values_list("provider_intent", "reference") for name in row}
    settled = set(known.exclude(provider_intent="").values_list("reference", flat=True))
    for entry in paid:
        by_name = entry.reference in names and entry.reference not in settled
        if entry.intent not in names and not by_name:
            subject = f"intent {entry.intent} ({entry.reference or 'without a reference'})"
            money = entry.captured if entry.captured.minor else entry.amount
            yield Difference(subject, "known", NOTHING, f"{money}, {entry.standing.value}")
