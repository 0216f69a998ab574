"""Bringing a payment one step further: ask, finish what was intended, give back what nobody wants.

Each step may be taken by anybody at any time; a crash in between leaves it to the next who comes.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

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
OPEN_CALLS = [CallState.INTENDED, CallState.UNKNOWN]
NOTHING_TAKEN = {
    PaymentState.DECLINED,
    PaymentState.EXPIRED,
    PaymentState.VOIDED,
    PaymentState.CAPTURE_FAILED,
}
NEVER_TAKEN = "nothing was taken, so there is nothing to give back"


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
    payment = give_back(payment=payment)
    return undo(payment=payment) if payment.unwanted_at else payment


def give_back(*, payment: Payment) -> Payment:
    """Make the refunds that were asked for; what is only reserved is taken first.

    While a capture is unknown they wait for its outcome. Calls the provider.
    """
    wanted = payment.refunds.filter(state=RefundState.REQUESTED)
    if payment.state == PaymentState.AUTHORIZED and wanted.exists():
        call = _intend_capture_for_refund(payment.pk)
        if call:
            payment = calls.carry_out(call=call)
    if payment.state in NOTHING_TAKEN:
        outcomes.record_impossible_refunds(
            payment_id=payment.pk, why=NEVER_TAKEN, at=timezone.now()
        )
    elif payment.state == PaymentState.CAPTURED:
        # Those with an open call have just been asked about.
        for refund in wanted.exclude(calls__state__in=OPEN_CALLS).order_by("pk"):
            payment = calls.carry_out(call=_intend_refund(payment.pk, refund))
    payment.refresh_from_db()
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
        if payment.state == PaymentState.CAPTURED:
            return _refund_what_is_left(payment)
        return None


def _refund_what_is_left(payment: Payment) -> ProviderCall | None:
    ours = payment.refunds.filter(reference__startswith=f"{payment.reference}-unwanted")
    refund = ours.filter(state=RefundState.REQUESTED).first()
    if refund is None:
        promised = payment.refunds.exclude(state=RefundState.FAILED)
        left = payment.captured_minor - sum(promised.values_list("amount_minor", flat=True))
        refused_by_bank = ours.filter(state=RefundState.FAILED).exclude(provider_refund="")
        # What came back once is for staff to look at.
        if left <= 0 or refused_by_bank.exists():
            return None
        number = f"-{ours.count() + 1}" if ours.exists() else ""
        refund = Refund.objects.create(
            payment=payment, reference=f"{payment.reference}-unwanted{number}", amount_minor=left
        )
    return calls.intend(payment=payment, kind=CallKind.REFUND, refund=refund)


def _intend_capture_for_refund(payment_id: int) -> ProviderCall | None:
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
        if payment.state != PaymentState.AUTHORIZED or payment.unwanted_at:
            return None
        if payment.calls.filter(kind=CallKind.CAPTURE, state=CallState.UNKNOWN).exists():
            return None
        return calls.intend(payment=payment, kind=CallKind.CAPTURE)


def _intend_refund(payment_id: int, refund: Refund) -> ProviderCall:
    with transaction.atomic(durable=True):
        payment = Payment.objects.select_for_update().get(pk=payment_id)
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
