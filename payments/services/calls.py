"""Calling the provider: the intent is committed before, the outcome is written after."""

import logging
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.utils import timezone

from payments.errors import OutcomeUnknown, ProviderRejected
from payments.free import FreeGateway
from payments.gateway import Gateway, Outcome, RefundOutcome, Wish
from payments.models import CallKind, CallState, Payment, ProviderCall, Refund
from payments.services import outcomes
from payments.stripe import StripeGateway
from ticketing.kernel import transactions
from ticketing.kernel.money import Money

logger = logging.getLogger(__name__)

# A fan waits this long for a provider that stutters; then the page says that we are checking.
PATIENCE = timedelta(seconds=10)
AT_ONCE = timedelta()
FIRST_PAUSE_SECONDS = 0.25
# How far our clock and the provider's may be apart.
SKEW = timedelta(minutes=5)
# The provider says no to a refund for good: so much is not there to give back.
NOTHING_LEFT = frozenset({"charge_already_refunded", "amount_too_large", "charge_disputed"})

_gateways: dict[str, Gateway] = {g.name: g for g in (StripeGateway(), FreeGateway())}
T = TypeVar("T")


def gateway_of(payment: Payment) -> Gateway:
    return gateway_named(payment.provider)


def gateway_named(name: str) -> Gateway:
    return _gateways[name]


def intend(
    *,
    payment: Payment,
    kind: CallKind,
    params: dict[str, Any] | None = None,
    refund: Refund | None = None,
) -> ProviderCall:
    """Write the intent down, or join the open one. Joins the caller's transaction.

    The caller holds the payment's row, so that two cannot write the same intent.
    """
    transactions.require()
    mine = payment.calls.filter(kind=kind, refund=refund)
    known = mine.exclude(state=CallState.ANSWERED).first()
    if known:
        return known
    if payment.next_check_at is None:
        payment.next_check_at = timezone.now() + outcomes.FIRST_PAUSE
        payment.save(update_fields=["next_check_at"])
    name = refund.reference if refund else payment.reference
    return ProviderCall.objects.create(
        payment=payment,
        refund=refund,
        kind=kind,
        params=params or {},
        idempotency_key=f"{kind}:{name}:{mine.count() + 1}",
    )


def carry_out(*, call: ProviderCall, patience: timedelta = AT_ONCE) -> Payment:
    """Make the call that an intent promises, and write down what is heard.

    Repeats it under the same key while patience lasts. Silence leaves the call unknown and the
    payment as it was. Raises ProviderRejected when the provider says no and nothing else explains
    why.
    """
    transactions.forbid()
    payment = Payment.objects.get(pk=call.payment_id)
    try:
        if call.refund:
            return _refund(payment, call.refund, call, patience)
        outcome = _patiently(lambda: _send(payment, call), patience)
        return outcomes.record(payment_id=payment.pk, outcome=outcome, at=timezone.now())
    except OutcomeUnknown as silence:
        logger.warning("call %s is unknown: %s", call.idempotency_key, silence)
        outcomes.record_silence(call_id=call.pk, why=str(silence))
        return _learn_without_key(payment, call) if silence.key_is_spent else payment
    except ProviderRejected as refusal:
        logger.warning("call %s was rejected: %s", call.idempotency_key, refusal)
        outcomes.record_refusal(call_id=call.pk, why=str(refusal), at=timezone.now())
        # Most refusals mean that it is done already, or can be done no more: see which.
        after = look(payment=payment) if payment.provider_session else payment
        if call.refund and refusal.code in NOTHING_LEFT:
            outcomes.record_impossible_refunds(
                payment_id=payment.pk,
                refund_id=call.refund_id,
                why=str(refusal),
                at=timezone.now(),
            )
            return after
        if (after.state, after.refunded_minor) == (payment.state, payment.refunded_minor):
            raise
        return after


def look(*, payment: Payment) -> Payment:
    """Ask the provider how the payment stands and write it down; silence changes nothing."""
    try:
        return _look(payment)
    except OutcomeUnknown as silence:
        logger.warning("payment %s cannot be asked about: %s", payment.reference, silence)
        return payment


def _look(payment: Payment) -> Payment:
    transactions.forbid()
    gateway = gateway_of(payment)
    outcome: Outcome | None
    if payment.provider_session:
        outcome = gateway.look(session=payment.provider_session)
    else:
        outcome = gateway.find(reference=payment.reference, since=payment.created_at - SKEW)
    if outcome is None:
        return payment
    return outcomes.record(payment_id=payment.pk, outcome=outcome, at=timezone.now())


def _learn_without_key(payment: Payment, call: ProviderCall) -> Payment:
    """The key only brings the old failure: ask, and if nothing was done let a new key be tried."""
    try:
        payment = _look(payment)
        done = call.refund and gateway_of(payment).find_refund(
            intent=payment.provider_intent, reference=call.refund.reference
        )
    except OutcomeUnknown:
        return payment
    if call.refund and done:
        outcomes.record_refund(payment_id=payment.pk, outcome=done, at=timezone.now())
    # Without effect so far: a call that a look has closed meanwhile is left as it is.
    outcomes.record_refusal(call_id=call.pk, why="failed without effect", at=timezone.now())
    return payment


def _send(payment: Payment, call: ProviderCall) -> Outcome:
    gateway, key = gateway_of(payment), call.idempotency_key
    session, intent = payment.provider_session, payment.provider_intent
    match call.kind:
        case CallKind.AUTHORIZE:
            return gateway.open(_wish(payment, call.params), key=key)
        case CallKind.EXPIRE:
            return gateway.expire(session=session, key=key)
        case CallKind.CAPTURE:
            return gateway.capture(session=session, intent=intent, key=key)
        case CallKind.VOID:
            return gateway.void(session=session, intent=intent, key=key)
    raise ValueError(f"no such call: {call.kind}")


def _refund(payment: Payment, refund: Refund, call: ProviderCall, patience: timedelta) -> Payment:
    gateway = gateway_of(payment)

    def ask_then_send() -> RefundOutcome:
        known = gateway.find_refund(intent=payment.provider_intent, reference=refund.reference)
        return known or gateway.refund(
            intent=payment.provider_intent,
            amount=Money(refund.amount_minor, payment.currency),
            reference=refund.reference,
            key=call.idempotency_key,
        )

    outcome = _patiently(ask_then_send, patience)
    outcomes.record_refund(payment_id=payment.pk, outcome=outcome, at=timezone.now())
    return look(payment=payment)


def _wish(payment: Payment, params: dict[str, Any]) -> Wish:
    return Wish(
        reference=payment.reference,
        amount=payment.amount,
        description=params["description"],
        email=params["email"],
        success_url=params["success_url"],
        cancel_url=params["cancel_url"],
        expires_at=datetime.fromisoformat(params["expires_at"]),
    )


def _patiently(call: Callable[[], T], patience: timedelta) -> T:
    """Repeat while nothing is heard, with growing and random pauses, until patience ends."""
    ends = time.monotonic() + patience.total_seconds()
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            return call()
        except OutcomeUnknown as silence:
            wait = pause * random.uniform(0.5, 1.5)  # noqa: S311 - spreads rivals, hides nothing
            if silence.key_is_spent or time.monotonic() + wait > ends:
                raise
        with transactions.outside():
            time.sleep(wait)
        pause *= 2
