"""What the floors above may know of a payment: frozen values, never rows."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from payments.errors import UnknownPayment
from payments.models import CallState, Payment, PaymentState, Refund, RefundState
from ticketing.kernel.money import Money

OVER = frozenset(
    {
        PaymentState.DECLINED,
        PaymentState.EXPIRED,
        PaymentState.VOIDED,
        PaymentState.CAPTURE_FAILED,
    }
)


@dataclass(frozen=True, slots=True)
class PaymentView:
    """A payment as it was last heard of."""

    id: int
    reference: str
    state: PaymentState
    amount: Money
    captured: Money
    refunded: Money
    # Where the payer pays; empty when there is nothing to pay there.
    checkout_url: str
    deadline_at: datetime
    # A call went unanswered: say "we are checking, do not pay again", never "failed".
    is_unknown: bool
    # Why the last card was not taken, in the provider's words; empty when none was refused.
    last_problem: str

    @property
    def is_paid(self) -> bool:
        """The money is reserved or taken, and was not given back."""
        if self.state == PaymentState.CAPTURED:
            return self.refunded < self.captured or not self.amount.minor
        return self.state == PaymentState.AUTHORIZED

    @property
    def is_over(self) -> bool:
        """No money is here, and none will come."""
        return self.state in OVER or (self.state == PaymentState.CAPTURED and not self.is_paid)


@dataclass(frozen=True, slots=True)
class RefundView:
    """Money on its way back, or back, or not."""

    reference: str
    amount: Money
    state: RefundState
    problem: str
    created_at: datetime
    settled_at: datetime | None

    @property
    def is_back(self) -> bool:
        return self.state == RefundState.SUCCEEDED

    @property
    def has_failed(self) -> bool:
        return self.state == RefundState.FAILED


def refunds(payment_reference: str) -> list[RefundView]:
    """All refunds of a payment, the first one first."""
    rows = Refund.objects.filter(payment__reference=payment_reference).select_related("payment")
    return [
        RefundView(
            reference=row.reference,
            amount=Money(row.amount_minor, row.payment.currency),
            state=RefundState(row.state),
            problem=row.problem,
            created_at=row.created_at,
            settled_at=row.settled_at,
        )
        for row in rows.order_by("pk")
    ]


def left_to_give_back(payment_reference: str) -> Money:
    """What may still be promised back, as it was a moment ago. Raises UnknownPayment."""
    found = Payment.objects.filter(reference=payment_reference).first()
    if found is None:
        raise UnknownPayment(payment_reference)
    return found.left


def payment(reference: str) -> PaymentView | None:
    """The payment of this reference, or None if none was begun."""
    found = Payment.objects.filter(reference=reference).first()
    if found is None:
        return None
    pending = found.state == PaymentState.PENDING
    return PaymentView(
        id=found.pk,
        reference=found.reference,
        state=PaymentState(found.state),
        amount=found.amount,
        captured=Money(found.captured_minor, found.currency),
        refunded=Money(found.refunded_minor, found.currency),
        checkout_url=found.checkout_url if pending else "",
        deadline_at=found.deadline_at,
        is_unknown=found.calls.filter(state=CallState.UNKNOWN).exists(),
        last_problem=found.last_problem,
    )


@dataclass(frozen=True, slots=True)
class Totals:
    """What the ledger adds up to for one payment in one currency, each as a positive figure."""

    reference: str
    currency: str
    authorized_minor: int = 0
    # Authorized, and neither taken nor let go.
    reserved_minor: int = 0
    captured_minor: int = 0
    refunded_minor: int = 0
    fees_minor: int = 0
    # Taken by the bank for a dispute, and not given back.
    disputed_minor: int = 0

    @property
    def net_minor(self) -> int:
        return self.captured_minor - self.refunded_minor - self.fees_minor - self.disputed_minor


TOTALS = """
SELECT payment.reference, movement.currency,
    coalesce(sum(movement.amount_minor) FILTER (WHERE kind = 'authorized'), 0),
    coalesce(sum(movement.amount_minor) FILTER (WHERE kind IN ('authorized', 'voided')), 0)
        - coalesce(sum(movement.amount_minor) FILTER (WHERE kind = 'captured'), 0),
    coalesce(sum(movement.amount_minor) FILTER (WHERE kind = 'captured'), 0),
    -coalesce(sum(movement.amount_minor) FILTER (WHERE kind IN ('refunded', 'refund_failed')), 0),
    -coalesce(sum(movement.amount_minor) FILTER (WHERE kind = 'fee'), 0),
    -coalesce(sum(movement.amount_minor) FILTER (WHERE kind = 'dispute'), 0)
FROM payments_payment AS payment
JOIN payments_movement AS movement ON movement.payment_id = payment.id
WHERE payment.reference = ANY(%s)
GROUP BY payment.id, movement.currency ORDER BY payment.id, movement.currency
"""


def totals(references: Collection[str]) -> list[Totals]:
    """The sums of these payments, for each currency in which one of them moved money."""
    with connection.cursor() as cursor:
        cursor.execute(TOTALS, [list(references)])
        rows = cursor.fetchall()
    # The database adds up to a decimal.
    return [Totals(reference, currency, *map(int, sums)) for reference, currency, *sums in rows]
