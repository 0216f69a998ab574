"""Giving back a part of a payment, or all of it: asked for in one transaction, done after it."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from payments.errors import AnotherAmount, MoreThanThere, UnknownPayment
from payments.models import CallKind, CallState, Payment, PaymentState, Refund, RefundState
from payments.services import outcomes, progress
from ticketing.kernel import outbox, transactions
from ticketing.kernel.money import Money


def request(
    *, payment_reference: str, reference: str, amount: Money, is_last: bool, at: datetime
) -> bool:
    """Promise this much back, once under this reference; False if it was promised before.

    `is_last`: nothing of the payment is needed any more, so that money which is only reserved is
    let go whole instead of being taken first. Joins the caller's transaction; the provider is
    called by the fact's handler. Raises MoreThanThere, AnotherAmount and UnknownPayment.
    """
    transactions.require()
    payment = _lock(payment_reference)
    known = payment.refunds.filter(reference=reference).first()
    if known:
        if Money(known.amount_minor, payment.currency) != amount:
            raise AnotherAmount(reference)
        return False
    if is_last and payment.unwanted_at:
        return False
    left = payment.left
    if left < amount or not amount.minor:
        raise MoreThanThere(payment_reference, left)
    if is_last and amount == payment.amount and _may_be_let_go(payment):
        payment.unwanted_at = at
        payment.save(update_fields=["unwanted_at"])
    else:
        Refund.objects.create(
            payment=payment, reference=reference, amount_minor=amount.minor, created_at=at
        )
    _ask_for(payment, reference, at)
    return True


def lock_and_count_left(payment_reference: str) -> Money:
    """What may still be promised back. Joins the caller's transaction, which keeps it so."""
    transactions.require()
    return _lock(payment_reference).left


def pay_out(*, payment_reference: str) -> None:
    """Take the next steps of every refund that was asked for. Calls the provider."""
    transactions.forbid()
    payment = Payment.objects.get(reference=payment_reference)
    progress.advance(payment=payment, at=timezone.now())


def try_again(*, reference: str, at: datetime) -> bool:
    """Ask anew for a refund that failed; False if it was asked for already or did not fail.

    Raises MoreThanThere when the money went back another way meanwhile.
    """
    with transaction.atomic(durable=True):
        failed = Refund.objects.select_related("payment").get(reference=reference)
        payment = _lock(failed.payment.reference)
        failed.refresh_from_db()
        if failed.state != RefundState.FAILED or Refund.objects.filter(again_of=failed).exists():
            return False
        left = payment.left
        if left.minor < failed.amount_minor:
            raise MoreThanThere(payment.reference, left)
        again = Refund.objects.create(
            payment=payment,
            reference=f"{payment.reference}-again-{failed.pk}",
            amount_minor=failed.amount_minor,
            again_of=failed,
            created_at=at,
        )
        _ask_for(payment, again.reference, at)
    return True


def _lock(reference: str) -> Payment:
    payment = Payment.objects.select_for_update().filter(reference=reference).first()
    if payment is None:
        raise UnknownPayment(reference)
    return payment


def _may_be_let_go(payment: Payment) -> bool:
    """Only reserved, and nobody is about to take it."""
    captures = payment.calls.filter(kind=CallKind.CAPTURE).exclude(state=CallState.ANSWERED)
    return payment.state == PaymentState.AUTHORIZED and not captures.exists()


def _ask_for(payment: Payment, reference: str, at: datetime) -> None:
    if payment.next_check_at is None:
        payment.next_check_at = at + outcomes.FIRST_PAUSE
        payment.save(update_fields=["next_check_at"])
    outbox.publish(
        topic="payments.refund_requested",
        key=reference,
        payload={"reference": payment.reference},
    )
