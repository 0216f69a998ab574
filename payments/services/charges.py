"""Asking for money, taking it, and letting it go: what the floor above calls.

Every function may be called again, by anybody and at once: the second joins the first. All of them
call the provider, so none may be called inside a transaction.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from payments import free, stripe
from payments.errors import AnotherAmount, OutcomeUnknown, ProviderRejected, UnknownPayment
from payments.models import OPEN_STATES, CallKind, CallState, Payment, PaymentState, ProviderCall
from payments.services import calls, progress
from ticketing.kernel import constraints, transactions
from ticketing.kernel.money import Money

logger = logging.getLogger(__name__)

# The provider wants a session to live for half an hour at least; we expire it at our own deadline.
# Counted from there, so that a repetition before the deadline may say the same.
SESSION_OUTLIVES_DEADLINE = timedelta(minutes=31)


@dataclass(frozen=True, slots=True)
class Started:
    """A payment that was begun: send the payer to `checkout_url` if there is one."""

    payment_id: int
    state: PaymentState
    checkout_url: str


def begin(
    *,
    reference: str,
    amount: Money,
    description: str,
    success_url: str,
    cancel_url: str,
    deadline_at: datetime,
    email: str,
) -> Started:
    """Ask for money once under this reference; asking again joins the first.

    Without a `checkout_url` there is nothing to pay there: the payment is free and done, it is
    over, or nobody knows yet and the page says that we are checking. Raises AnotherAmount, and
    ProviderRejected when the provider will not open a payment at all.
    """
    transactions.forbid()
    params = {
        "description": description,
        "success_url": success_url,
        "cancel_url": cancel_url,
        "email": email,
        "expires_at": (deadline_at + SESSION_OUTLIVES_DEADLINE).isoformat(),
    }
    payment = _find_or_create(reference, amount, deadline_at)
    # A second round only when the first learned that its idempotency key is of no use any more.
    for _ in range(2):
        call = _intend_to_open(payment, params)
        if call is None:
            break
        payment = calls.carry_out(call=call, patience=calls.PATIENCE)
        call.refresh_from_db()
        if call.state == CallState.UNKNOWN:
            break
    payment.refresh_from_db()
    url = payment.checkout_url if payment.state == PaymentState.PENDING else ""
    return Started(payment.pk, PaymentState(payment.state), url)


def refresh(*, reference: str) -> PaymentState:
    """Learn from the provider how the payment stands; without an answer it stands as it stood."""
    payment = _get(reference)
    try:
        payment = progress.advance(payment=payment, at=timezone.now())
    except ProviderRejected:
        # Nothing that whoever waits for this page could mend; reconciliation goes on trying.
        logger.exception("payment %s cannot go on", reference)
        payment.refresh_from_db()
    return PaymentState(payment.state)


def capture(*, reference: str) -> PaymentState:
    """Take the reserved money.

    Raises OutcomeUnknown when nobody heard what became of it: reconciliation will find out.
    """
    payment = _get(reference)
    # Paid perhaps, and nobody told us yet.
    if payment.state in {PaymentState.CREATED, PaymentState.PENDING}:
        payment = progress.advance(payment=payment, at=timezone.now())
    call = _intend_to_capture(payment)
    if call:
        payment = calls.carry_out(call=call)
        _insist_on_an_answer(call)
    # Whatever a rival did meanwhile.
    payment.refresh_from_db()
    return PaymentState(payment.state)


def void(*, reference: str) -> PaymentState:
    """Let the money go, whatever became of it: expire, void or refund, exactly once.

    From here on nobody waits for this money: what still comes of it goes back by itself.
    Raises OutcomeUnknown when nobody heard what became of it: reconciliation will find out.
    """
    transactions.forbid()
    payment = _get(reference)
    now = timezone.now()
    Payment.objects.filter(pk=payment.pk, unwanted_at=None).update(
        unwanted_at=now, deadline_at=min(now, payment.deadline_at)
    )
    payment.refresh_from_db()
    if payment.state == PaymentState.CREATED:
        payment = progress.advance(payment=payment, at=now)
    payment = progress.undo(payment=payment)
    for call in payment.calls.filter(state=CallState.UNKNOWN):
        _insist_on_an_answer(call)
    return PaymentState(payment.state)


def _get(reference: str) -> Payment:
    transactions.forbid()
    payment = Payment.objects.filter(reference=reference).first()
    if payment is None:
        raise UnknownPayment(reference)
    return payment


def _find_or_create(reference: str, amount: Money, deadline_at: datetime) -> Payment:
    try:
        with transaction.atomic(durable=True):
            return Payment.objects.create(
                reference=reference,
                provider=stripe.NAME if amount.minor else free.NAME,
                amount_minor=amount.minor,
                currency=amount.currency,
                deadline_at=deadline_at,
                # Not before the first try had its time.
                next_check_at=timezone.now() + calls.PATIENCE,
            )
    except IntegrityError as error:
        if constraints.violated_by(error) != "payments_payment_reference_key":
            raise
    payment = Payment.objects.get(reference=reference)
    if payment.amount != amount:
        raise AnotherAmount(reference)
    # Whoever asks again may have got more time meanwhile.
    Payment.objects.filter(
        pk=payment.pk, state__in=OPEN_STATES, unwanted_at=None, deadline_at__lt=deadline_at
    ).update(deadline_at=deadline_at)
    return payment


def _intend_to_open(payment: Payment, params: dict[str, str]) -> ProviderCall | None:
    with transaction.atomic(durable=True):
        locked = Payment.objects.select_for_update().get(pk=payment.pk)
        if locked.state != PaymentState.CREATED or locked.deadline_at <= timezone.now():
            return None
        return calls.intend(payment=locked, kind=CallKind.AUTHORIZE, params=params)


def _intend_to_capture(payment: Payment) -> ProviderCall | None:
    with transaction.atomic(durable=True):
        locked = Payment.objects.select_for_update().get(pk=payment.pk)
        if locked.state != PaymentState.AUTHORIZED or locked.unwanted_at:
            return None
        return calls.intend(payment=locked, kind=CallKind.CAPTURE)


def _insist_on_an_answer(call: ProviderCall) -> None:
    call.refresh_from_db()
    if call.state == CallState.UNKNOWN:
        raise OutcomeUnknown(call.answer)
