"""Bringing a payment one step further: ask, finish what was intended, give back what nobody wants.

Each step may be taken by anybody at any time; a crash in between leaves it to the next who comes.
"""

from datetime import datetime, timedelta

from django.db import transaction

from payments.models import (
    CallKind,
    CallState,
    Payment,
    PaymentState,
    ProviderCall,
    Refund,
    RefundState,
)
from payments.services import calls, outcomes

# Longer than any request of ours can be under way.
STRAGGLER = timedelta(seconds=60)
# Expired, then found paid, then given back: no payment needs more steps than this at once.
MOST_STEPS = 3


def advance(*, payment: Payment, at: datetime) -> Payment:
    """Learn how the payment stands, and do what is due about it. Calls the provider.

    Raises ProviderRejected when the provider refuses something that it should do.
    """
    if payment.provider_session or at >= payment.deadline_at:
        payment = calls.look(payment=payment)
    for call in payment.calls.exclude(state=CallState.ANSWERED).select_related("refund"):
        # After the deadline a repetition could open what nobody waits for any more.
        if call.kind != CallKind.AUTHORIZE or at < payment.deadline_at:
            payment = calls.carry_out(call=call)
    if payment.state == PaymentState.CREATED and at >= payment.deadline_at + STRAGGLER:
        return _close_unopened(payment, at)
    if payment.state == PaymentState.PENDING and at >= payment.deadline_at - outcomes.MARGIN:
        payment = calls.carry_out(call=_intend(payment, CallKind.EXPIRE))
    if payment.unwanted_at:
        payment = undo(payment=payment)
    return payment


def undo(*, payment: Payment) -> Payment:
    """Take the next steps until no money of an unwanted payment is here. Calls the provider."""
    for _ in range(MOST_STEPS):
        call = _next_step_back(payment.pk)
        if call is None:
            break
        payment = calls.carry_out(call=call)
        call.refresh_from_db()
        if call.state == CallState.UNKNOWN:
            break
    # Whatever a rival did meanwhile.
    payment.refresh_from_db()
    return payment


def _next_step_back(payment_id: int) -> ProviderCall | None:
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        if payment.state == PaymentState.PENDING:
            return calls.intend(payment=payment, kind=CallKind.EXPIRE)
        if payment.state == PaymentState.AUTHORIZED:
            return calls.intend(payment=payment, kind=CallKind.VOID)
        left = payment.captured_minor - payment.refunded_minor
        if payment.state == PaymentState.CAPTURED and left:
            return _refund_what_is_left(payment, left)
        return None


def _refund_what_is_left(payment: Payment, left: int) -> ProviderCall | None:
    refund, _ = Refund.objects.get_or_create(
        reference=f"{payment.reference}-unwanted",
        defaults={"payment": payment, "amount_minor": left},
    )
    if refund.state != RefundState.REQUESTED:
        return None
    return calls.intend(payment=payment, kind=CallKind.REFUND, refund=refund)


def _intend(payment: Payment, kind: CallKind) -> ProviderCall:
    with transaction.atomic(durable=True):
        locked = Payment.objects.select_for_update().get(pk=payment.pk)
        return calls.intend(payment=locked, kind=kind)


def _close_unopened(payment: Payment, at: datetime) -> Payment:
    """Expire what was never opened, if the provider itself says that it does not know it."""
    found = calls.gateway_of(payment).find(
        reference=payment.reference, since=payment.created_at - calls.SKEW
    )
    if found:
        return outcomes.record(payment_id=payment.pk, outcome=found, at=at)
    return outcomes.record_nothing_was_opened(payment_id=payment.pk, at=at)
