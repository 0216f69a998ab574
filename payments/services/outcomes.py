"""Writing down what the provider said, whoever asked, in any order, as often as it is said.

A state only moves along its table, so an old answer that arrives late changes nothing.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from payments.gateway import DisputeOutcome, Outcome, RefundOutcome, Standing
from payments.models import (
    OPEN_REFUNDS,
    OPEN_STATES,
    CallKind,
    CallState,
    Dispute,
    DisputeState,
    Payment,
    PaymentState,
    ProviderCall,
    Refund,
    RefundState,
)
from payments.services import ledger
from ticketing.kernel import outbox, transactions

logger = logging.getLogger(__name__)

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=5)
# An open session is expired this long before the deadline: time for the call and its answer.
MARGIN = timedelta(seconds=15)

FACTS = {
    PaymentState.AUTHORIZED: "payments.payment_authorized",
    PaymentState.CAPTURED: "payments.payment_captured",
    PaymentState.DECLINED: "payments.payment_declined",
    PaymentState.EXPIRED: "payments.payment_expired",
    PaymentState.VOIDED: "payments.payment_voided",
    PaymentState.CAPTURE_FAILED: "payments.capture_failed",
}
REFUND_FACTS = {
    RefundState.SUCCEEDED: "payments.payment_refunded",
    RefundState.FAILED: "payments.refund_failed",
}


def record(*, payment_id: int, outcome: Outcome, at: datetime) -> Payment:
    """Bring the payment to where the provider says it is, and tell what became true."""
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        news = _note_names(payment, outcome)
        if payment.state == PaymentState.CREATED:
            news |= _move(payment, PaymentState.PENDING, at=at)
        target = _target(payment, outcome)
        if target:
            news |= _move(payment, target, at=at, **_money(outcome, target, at))
        if payment.state == PaymentState.CAPTURED:
            news |= _take_in(payment, outcome.refunds, at=at)
            ledger.enter_fees(payment, outcome.fees, at=at)
            _take_in_disputes(payment, outcome.disputes, at=at)
        _close_calls(payment, outcome, at=at)
        _plan_next_check(payment, news=news, at=at)
    return payment


def record_nothing_was_opened(*, payment_id: int, at: datetime) -> Payment:
    """The provider has no session for it, and the time to pay is over."""
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        if payment.state == PaymentState.CREATED:
            _move(payment, PaymentState.EXPIRED, at=at, settled_at=at)
            _answer(payment.calls.all(), "nothing was opened", at=at)
        _plan_next_check(payment, news=True, at=at)
    return payment


def record_refund(*, payment_id: int, outcome: RefundOutcome, at: datetime) -> None:
    """Bring a refund to where the provider says it is."""
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        _take_in(payment, [outcome], at=at)
        _plan_next_check(payment, news=True, at=at)


def record_impossible_refunds(
    *, payment_id: int, why: str, at: datetime, refund_id: int | None = None
) -> None:
    """What was to be given back cannot be: this refund, or every requested one of the payment."""
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        for refund in payment.refunds.filter(state=RefundState.REQUESTED):
            if refund_id in {None, refund.pk}:
                _move_refund(payment, refund, RefundState.FAILED, settled_at=at, problem=why[:300])
                _answer(refund.calls.all(), why, at=at)
        _plan_next_check(payment, news=True, at=at)


def record_silence(*, call_id: int, why: str) -> None:
    """Nobody heard an answer: the call is unknown until somebody does."""
    ProviderCall.objects.filter(pk=call_id).move_to(CallState.UNKNOWN, answer=why[:300])


def record_refusal(*, call_id: int, why: str, at: datetime) -> None:
    """The provider answered that it did not do this."""
    _answer(ProviderCall.objects.filter(pk=call_id), why, at=at)


def plan(*, payment_id: int, at: datetime) -> Payment:
    """Set when to ask again, whether or not anything was heard this time."""
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        _plan_next_check(payment, news=False, at=at)
    return payment


def _target(payment: Payment, outcome: Outcome) -> PaymentState | None:
    if outcome.standing == Standing.AUTHORIZED:
        return PaymentState.AUTHORIZED
    if outcome.standing == Standing.CAPTURED:
        return PaymentState.CAPTURED
    if outcome.standing == Standing.NOTHING:
        return None
    if payment.state == PaymentState.AUTHORIZED:
        # Money that somebody still waited for and that is gone could not be taken.
        return PaymentState.VOIDED if payment.unwanted_at else PaymentState.CAPTURE_FAILED
    return PaymentState.DECLINED if outcome.problem else PaymentState.EXPIRED


def _money(outcome: Outcome, target: PaymentState, at: datetime) -> dict[str, object]:
    if target == PaymentState.AUTHORIZED:
        return {"authorized_at": at}
    if target == PaymentState.CAPTURED:
        return {"settled_at": at, "captured_minor": outcome.captured_minor}
    return {"settled_at": at}


def _move(payment: Payment, state: PaymentState, *, at: datetime, **changes: object) -> bool:
    was = payment.state
    moved = Payment.objects.filter(pk=payment.pk).move_to(state, **changes)
    if moved:
        payment.state = state
        for name, value in changes.items():
            setattr(payment, name, value)
        ledger.enter_move(payment, was=was, at=at)
        if state in FACTS:
            _tell(FACTS[state], payment.reference, payment)
    return bool(moved)


def _note_names(payment: Payment, outcome: Outcome) -> bool:
    """Keep the session, the intent and the page under which the provider knows the payment."""
    if payment.state not in OPEN_STATES:
        return False
    known = {
        "provider_session": outcome.session,
        "provider_intent": outcome.intent or payment.provider_intent,
        "checkout_url": outcome.checkout_url or payment.checkout_url,
        "last_problem": outcome.problem[:300],
    }
    changed = {name: value for name, value in known.items() if getattr(payment, name) != value}
    if changed:
        Payment.objects.filter(pk=payment.pk).update(**changed)
        for name, value in changed.items():
            setattr(payment, name, value)
    return bool(changed)


def _take_in(payment: Payment, refunds: Sequence[RefundOutcome], *, at: datetime) -> bool:
    """Bring every refund that the provider knows to where it is, those made by others too.

    What was given back is the sum of them: an old answer moves none of them back.
    """
    news = False
    for said in refunds:
        refund = _refund_of(payment, said)
        known = {"provider_refund": said.refund, "problem": said.problem[:300]}
        if said.is_final:
            state = RefundState.SUCCEEDED if said.is_done else RefundState.FAILED
            news |= _move_refund(payment, refund, state, settled_at=at, **known)
        else:
            news |= _move_refund(payment, refund, RefundState.PENDING, **known)
        _answer(refund.calls.all(), said.refund, at=at)
    ledger.enter_refunds(payment, refunds, at=at)
    return news


def _take_in_disputes(
    payment: Payment, disputes: Sequence[DisputeOutcome], *, at: datetime
) -> None:
    """Keep every dispute and how it ended; what was sold stays sold, staff decide."""
    for said in disputes:
        row, is_new = payment.disputes.get_or_create(
            provider_dispute=said.dispute,
            defaults={
                "amount_minor": said.amount_minor,
                "reason": said.reason[:100],
                "opened_at": at,
            },
        )
        if is_new:
            logger.error("payment %s is disputed: %s", payment.reference, said.reason)
        if not said.is_open:
            state = DisputeState.WON if said.is_won else DisputeState.LOST
            Dispute.objects.filter(pk=row.pk).move_to(state, closed_at=at)
    ledger.enter_disputes(payment, disputes, at=at)


def _refund_of(payment: Payment, said: RefundOutcome) -> Refund:
    """Our row for a refund at the provider: known by its name there, by ours, or new."""
    ours = Q(reference=said.reference, provider_refund="") if said.reference else Q(pk=None)
    known = payment.refunds.filter(Q(provider_refund=said.refund) | ours)
    return known.first() or Refund.objects.create(
        payment=payment,
        reference=said.refund,
        provider_refund=said.refund,
        amount_minor=said.amount_minor,
    )


def _move_refund(payment: Payment, refund: Refund, state: RefundState, **changes: object) -> bool:
    moved = Refund.objects.filter(pk=refund.pk).move_to(state, **changes)
    if moved and state in REFUND_FACTS:
        outbox.publish(
            topic=REFUND_FACTS[state],
            key=refund.reference,
            payload={
                "reference": payment.reference,
                "refund": refund.reference,
                "amount_minor": refund.amount_minor,
                "currency": payment.currency,
            },
        )
    return bool(moved)


def _close_calls(payment: Payment, outcome: Outcome, *, at: datetime) -> None:
    """Answer every open call whose effect, or whose end without effect, is plain from this."""
    over = payment.state not in OPEN_STATES
    closed = {
        CallKind.AUTHORIZE: True,
        CallKind.EXPIRE: not outcome.is_open,
        CallKind.CAPTURE: over,
        CallKind.VOID: over,
    }
    kinds = [kind for kind, is_closed in closed.items() if is_closed]
    _answer(payment.calls.filter(kind__in=kinds), outcome.standing.value, at=at)


def _answer(calls: QuerySet[ProviderCall], answer: str, *, at: datetime) -> None:
    open_calls = ProviderCall.objects.filter(pk__in=calls.values("pk"))
    open_calls.move_to(CallState.ANSWERED, answered_at=at, answer=answer[:300])


def _tell(topic: str, key: str, payment: Payment) -> None:
    transactions.require()
    outbox.publish(
        topic=topic,
        key=key,
        payload={
            "reference": payment.reference,
            "amount_minor": payment.amount_minor,
            "currency": payment.currency,
        },
    )


def _plan_next_check(payment: Payment, *, news: bool, at: datetime) -> None:
    """When to ask again: soon after news, ever later without, never when all is at rest."""
    payment.checks = 0 if news else payment.checks
    payment.next_check_at = None if _is_at_rest(payment) else _next_check(payment, at)
    payment.save(update_fields=["checks", "next_check_at"])


def _next_check(payment: Payment, at: datetime) -> datetime:
    """Ever later, but in time to expire an open session before its deadline."""
    check: datetime = at + min(FIRST_PAUSE * 2 ** min(payment.checks, 10), LONGEST_PAUSE)
    closing: datetime = payment.deadline_at - MARGIN
    if payment.state in {PaymentState.CREATED, PaymentState.PENDING} and closing > at:
        return min(check, closing)
    return check


def _is_at_rest(payment: Payment) -> bool:
    return (
        payment.state not in OPEN_STATES
        and not payment.calls.exclude(state=CallState.ANSWERED).exists()
        and not payment.refunds.filter(state__in=OPEN_REFUNDS).exists()
    )
