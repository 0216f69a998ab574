"""The ledger: every movement of money, as a row that nobody can change. Part of `models`."""

from django.db import models
from django.db.models import Q

from ticketing.kernel.money import Money
from ticketing.kernel.states import StatefulQuerySet


class MovementKind(models.TextChoices):
    AUTHORIZED = "authorized", "reserved"
    VOIDED = "voided", "no longer reserved"
    CAPTURED = "captured", "taken"
    REFUNDED = "refunded", "given back"
    REFUND_FAILED = "refund_failed", "came back from a refund that failed"
    FEE = "fee", "kept by the provider"
    DISPUTE = "dispute", "disputed"


# What comes to us, or is reserved for us, is positive; what goes is negative.
COMES = [MovementKind.AUTHORIZED, MovementKind.CAPTURED, MovementKind.REFUND_FAILED]
GOES = [MovementKind.VOIDED, MovementKind.REFUNDED]


class Movement(models.Model):
    """Money that moved once, entered in the transaction in which we learned of it.

    Whatever is taken was reserved, be it in the same moment, so what a payment has reserved and
    neither taken nor let go is authorized + voided - captured. A fee or a dispute may be negative
    or, given back, positive; a fee is of the currency that the provider pays out.
    """

    payment = models.ForeignKey("payments.Payment", models.PROTECT, related_name="movements")
    kind = models.CharField(max_length=14, choices=MovementKind)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    # What the provider calls it: the intent, the refund, or the transaction that carries the fee.
    provider_id = models.CharField(max_length=120)
    # The call of ours that asked for it; empty when somebody did it at the provider.
    call = models.ForeignKey(
        "payments.ProviderCall", models.PROTECT, related_name="+", null=True, blank=True
    )
    # When we learned of it.
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="payments_movement_kind_is_known", condition=Q(kind__in=MovementKind.values)
            ),
            models.CheckConstraint(
                name="payments_movement_has_the_sign_of_its_kind",
                condition=Q(kind__in=COMES, amount_minor__gt=0)
                | Q(kind__in=GOES, amount_minor__lt=0)
                | (~Q(kind__in=[*COMES, *GOES]) & ~Q(amount_minor=0)),
            ),
            models.UniqueConstraint(
                fields=["payment", "kind", "provider_id"],
                name="payments_movement_is_entered_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.amount}"

    @property
    def amount(self) -> Money:
        return Money(self.amount_minor, self.currency)


class DisputeState(models.TextChoices):
    OPEN = "open", "open"
    WON = "won", "won"
    LOST = "lost", "lost"


class Dispute(models.Model):
    """A payer told the bank that a payment was wrong; the bank decides, and staff answer it there.

    It is flagged and its money is in the ledger; it changes neither the payment nor what was sold.
    """

    MOVES = {
        DisputeState.OPEN: {DisputeState.WON, DisputeState.LOST},
        DisputeState.WON: set[str](),
        DisputeState.LOST: set[str](),
    }

    payment = models.ForeignKey("payments.Payment", models.PROTECT, related_name="disputes")
    provider_dispute = models.CharField(max_length=120)
    state = models.CharField(max_length=4, choices=DisputeState, default=DisputeState.OPEN)
    amount_minor = models.PositiveBigIntegerField()
    # In the provider's words.
    reason = models.CharField(max_length=100, blank=True)
    # When we learned of it, and of its end.
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["Dispute"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="payments_dispute_state_is_known", condition=Q(state__in=DisputeState.values)
            ),
            models.CheckConstraint(
                name="payments_dispute_is_closed_iff_not_open",
                condition=Q(state=DisputeState.OPEN, closed_at=None)
                | (~Q(state=DisputeState.OPEN) & ~Q(closed_at=None)),
            ),
            models.UniqueConstraint(
                fields=["payment", "provider_dispute"], name="payments_dispute_is_kept_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider_dispute} ({self.get_state_display()})"
