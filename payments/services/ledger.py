"""Entering movements of money: the one place that does, and nothing in the ledger ever changes.

Every function joins the transaction of its caller, who has the payment's row locked and changes its
amounts or its state in the same transaction. Totals are sums of what is entered here.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Sum

from payments.gateway import DisputeOutcome, Fee, RefundOutcome
from payments.models import CallKind, Movement, MovementKind, Payment, PaymentState, ProviderCall
from ticketing.kernel import transactions
from ticketing.kernel.money import Money

# The calls of ours that ask for a movement.
ASKED_BY = {
    MovementKind.AUTHORIZED: [CallKind.AUTHORIZE],
    MovementKind.CAPTURED: [CallKind.CAPTURE],
    MovementKind.VOIDED: [CallKind.VOID, CallKind.EXPIRE],
}
BACK = [MovementKind.REFUNDED, MovementKind.REFUND_FAILED]


def enter_move(payment: Payment, *, was: str, at: datetime) -> None:
    """Enter what the payment's move out of the state it `was` in did to money."""
    moves: dict[MovementKind, int] = {}
    match payment.state:
        case PaymentState.AUTHORIZED:
            moves[MovementKind.AUTHORIZED] = payment.amount_minor
        case PaymentState.CAPTURED:
            if was != PaymentState.AUTHORIZED:
                moves[MovementKind.AUTHORIZED] = payment.amount_minor
            moves[MovementKind.CAPTURED] = payment.captured_minor
            # What was not taken is reserved no more.
            moves[MovementKind.VOIDED] = payment.captured_minor - payment.amount_minor
        case PaymentState.VOIDED | PaymentState.CAPTURE_FAILED:
            moves[MovementKind.VOIDED] = -payment.amount_minor
    for kind, minor in moves.items():
        if minor:
            call = payment.calls.filter(kind__in=ASKED_BY[kind]).order_by("-pk").first()
            amount = Money(minor, payment.currency)
            _enter(payment, kind, amount, provider_id=payment.provider_intent, call=call, at=at)


def enter_refunds(payment: Payment, refunds: Sequence[RefundOutcome], *, at: datetime) -> None:
    """Enter the refunds that are new, and those that failed, and add up what was given back.

    An older answer knows fewer of them and changes nothing, so answers may come in any order.
    """
    told: list[tuple[MovementKind, RefundOutcome]] = []
    # The provider lists the newest first; a refund stands before its failure.
    for refund in reversed(refunds):
        told.append((MovementKind.REFUNDED, refund))
        if refund.is_final and not refund.is_done:
            told.append((MovementKind.REFUND_FAILED, refund))
    entered = _entered(payment, BACK) if told else set()
    new = [(kind, refund) for kind, refund in told if (kind, refund.refund) not in entered]
    for kind, refund in new:
        went = kind == MovementKind.REFUNDED
        minor = -refund.amount_minor if went else refund.amount_minor
        amount = Money(minor, payment.currency)
        call = _call_for(payment, refund)
        _enter(payment, kind, amount, provider_id=refund.refund, call=call, at=at)
    if new:
        back: int = payment.movements.filter(kind__in=BACK).aggregate(sum=Sum("amount_minor"))[
            "sum"
        ]
        payment.refunded_minor = -back
        payment.save(update_fields=["refunded_minor"])


def enter_fees(payment: Payment, fees: Iterable[Fee], *, at: datetime) -> None:
    """Enter the fees that are new."""
    wanted = {fee.transaction: fee.amount for fee in fees if fee.amount.minor}
    entered = _entered(payment, [MovementKind.FEE]) if wanted else set()
    for transaction_id, amount in wanted.items():
        if (MovementKind.FEE, transaction_id) not in entered:
            kept = Money(-amount.minor, amount.currency)
            _enter(payment, MovementKind.FEE, kept, provider_id=transaction_id, call=None, at=at)


def enter_disputes(payment: Payment, disputes: Iterable[DisputeOutcome], *, at: datetime) -> None:
    """Enter what new disputes took, and what came back of them."""
    kind = MovementKind.DISPUTE
    wanted: dict[str, int] = {}
    for dispute in disputes:
        wanted |= dict.fromkeys(dispute.taken, -dispute.amount_minor)
        wanted |= dict.fromkeys(dispute.returned, dispute.amount_minor)
    entered = _entered(payment, [kind]) if wanted else set()
    for transaction_id, minor in wanted.items():
        if (kind, transaction_id) not in entered:
            amount = Money(minor, payment.currency)
            _enter(payment, kind, amount, provider_id=transaction_id, call=None, at=at)


def _enter(
    payment: Payment,
    kind: MovementKind,
    amount: Money,
    *,
    provider_id: str,
    call: ProviderCall | None,
    at: datetime,
) -> None:
    transactions.require()
    Movement.objects.create(
        payment=payment,
        kind=kind,
        amount_minor=amount.minor,
        currency=amount.currency,
        provider_id=provider_id,
        call=call,
        at=at,
    )


def _entered(payment: Payment, kinds: list[MovementKind]) -> set[tuple[str, str]]:
    rows = payment.movements.filter(kind__in=kinds)
    return set(rows.values_list("kind", "provider_id"))


def _call_for(payment: Payment, refund: RefundOutcome) -> ProviderCall | None:
    if not refund.reference:
        return None
    asked = payment.calls.filter(kind=CallKind.REFUND, refund__reference=refund.reference)
    return asked.order_by("-pk").first()
