from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from payments.movements import Dispute, DisputeState, Movement, MovementKind
from ticketing.kernel.money import Money
from ticketing.kernel.states import StatefulQuerySet

__all__ = [
    "OPEN_REFUNDS",
    "OPEN_STATES",
    "CallKind",
    "CallState",
    "Dispute",
    "DisputeState",
    "EventState",
    "Movement",
    "MovementKind",
    "Payment",
    "PaymentState",
    "ProviderCall",
    "ProviderEvent",
    "Refund",
    "RefundState",
]


class PaymentState(models.TextChoices):
    CREATED = "created", "created"
    PENDING = "pending", "waiting for the payer"
    AUTHORIZED = "authorized", "reserved"
    CAPTURED = "captured", "paid"
    DECLINED = "declined", "declined"
    EXPIRED = "expired", "expired"
    VOIDED = "voided", "given back before it was taken"
    CAPTURE_FAILED = "capture_failed", "could not be taken"


OPEN_STATES = [PaymentState.CREATED, PaymentState.PENDING, PaymentState.AUTHORIZED]


class PaymentQuerySet(StatefulQuerySet["Payment"]):
    def due(self, at: datetime) -> "PaymentQuerySet":
        """Payments to ask the provider about, the one that waited longest first."""
        return self.filter(next_check_at__lte=at).order_by("next_check_at", "pk")


class Payment(models.Model):
    """Money asked for once."""

    MOVES = {
        PaymentState.CREATED: {PaymentState.PENDING, PaymentState.DECLINED, PaymentState.EXPIRED},
        PaymentState.PENDING: {
            PaymentState.AUTHORIZED,
            PaymentState.CAPTURED,
            PaymentState.DECLINED,
            PaymentState.EXPIRED,
        },
        PaymentState.AUTHORIZED: {
            PaymentState.CAPTURED,
            PaymentState.VOIDED,
            PaymentState.CAPTURE_FAILED,
        },
        PaymentState.CAPTURED: set[str](),
        PaymentState.DECLINED: set[str](),
        PaymentState.EXPIRED: set[str](),
        PaymentState.VOIDED: set[str](),
        PaymentState.CAPTURE_FAILED: set[str](),
    }

    # Given by the floor above, which alone knows what it names.
    reference = models.CharField(max_length=60, unique=True)
    provider = models.CharField(max_length=20)
    state = models.CharField(max_length=14, choices=PaymentState, default=PaymentState.CREATED)
    amount_minor = models.PositiveBigIntegerField()
    currency = models.CharField(max_length=3)
    captured_minor = models.PositiveBigIntegerField(default=0)
    refunded_minor = models.PositiveBigIntegerField(default=0)
    provider_session = models.CharField(max_length=120, blank=True)
    provider_intent = models.CharField(max_length=120, blank=True)
    # The provider's page where the payer pays.
    checkout_url = models.CharField(max_length=2000, blank=True)
    # The last reason the provider gave why a card was not taken.
    last_problem = models.CharField(max_length=300, blank=True)
    # An open session is expired at the provider shortly before this.
    deadline_at = models.DateTimeField()
    # Since when nobody waits for this money: what comes of it goes back.
    unwanted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    authorized_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    # When to ask the provider again; empty when the payment is at rest.
    next_check_at = models.DateTimeField(null=True, blank=True)
    # How often it was asked without news: each time the pause grows.
    checks = models.PositiveSmallIntegerField(default=0)

    objects = PaymentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="payments_payment_state_is_known", condition=Q(state__in=PaymentState.values)
            ),
            models.CheckConstraint(
                name="payments_refunded_is_within_captured_within_amount",
                condition=Q(refunded_minor__lte=F("captured_minor"))
                & Q(captured_minor__lte=F("amount_minor")),
            ),
            models.CheckConstraint(
                name="payments_money_is_taken_iff_captured",
                condition=Q(state=PaymentState.CAPTURED, captured_minor__gt=0)
                | Q(state=PaymentState.CAPTURED, amount_minor=0)
                | (~Q(state=PaymentState.CAPTURED) & Q(captured_minor=0)),
            ),
            models.CheckConstraint(
                name="payments_payment_is_settled_iff_not_open",
                condition=Q(state__in=OPEN_STATES, settled_at=None)
                | (~Q(state__in=OPEN_STATES) & ~Q(settled_at=None)),
            ),
            models.CheckConstraint(
                name="payments_open_payment_is_asked_about",
                condition=~Q(state__in=OPEN_STATES) | ~Q(next_check_at=None),
            ),
            models.CheckConstraint(
                name="payments_started_payment_has_a_session",
                condition=~Q(
                    state__in=[
                        PaymentState.PENDING,
                        PaymentState.AUTHORIZED,
                        PaymentState.CAPTURED,
                    ]
                )
                | ~Q(provider_session=""),
            ),
            models.CheckConstraint(
                name="payments_authorized_payment_has_an_intent_and_a_time",
                condition=~Q(
                    state__in=[
                        PaymentState.AUTHORIZED,
                        PaymentState.VOIDED,
                        PaymentState.CAPTURE_FAILED,
                    ]
                )
                | (~Q(provider_intent="") & ~Q(authorized_at=None)),
            ),
            models.UniqueConstraint(
                fields=["provider", "provider_session"],
                condition=~Q(provider_session=""),
                name="payments_session_pays_for_one_payment",
            ),
            models.UniqueConstraint(
                fields=["provider", "provider_intent"],
                condition=~Q(provider_intent=""),
                name="payments_intent_pays_for_one_payment",
            ),
        ]
        indexes = [
            # Exactly the rows that reconciliation scans.
            models.Index(
                F("next_check_at"),
                condition=Q(next_check_at__isnull=False),
                name="payments_by_next_check",
            )
        ]

    def __str__(self) -> str:
        return f"{self.reference} ({self.get_state_display()})"

    @property
    def amount(self) -> Money:
        return Money(self.amount_minor, self.currency)

    @property
    def left(self) -> Money:
        """What is taken, or will be, less everything that is promised back."""
        taken = self.captured_minor
        if self.state == PaymentState.AUTHORIZED and not self.unwanted_at:
            taken = self.amount_minor
        promised = self.refunds.exclude(state=RefundState.FAILED)
        back = sum(promised.values_list("amount_minor", flat=True))
        return Money(max(0, taken - back), self.currency)


class RefundState(models.TextChoices):
    REQUESTED = "requested", "requested"
    PENDING = "pending", "under way"
    SUCCEEDED = "succeeded", "given back"
    FAILED = "failed", "failed"


OPEN_REFUNDS = [RefundState.REQUESTED, RefundState.PENDING]


class Refund(models.Model):
    """Money given back once, after it was captured.

    One that was made at the provider by somebody else is a row like any: its reference is the
    provider's own name for it.
    """

    MOVES = {
        RefundState.REQUESTED: {RefundState.PENDING, RefundState.SUCCEEDED, RefundState.FAILED},
        RefundState.PENDING: {RefundState.SUCCEEDED, RefundState.FAILED},
        RefundState.SUCCEEDED: {RefundState.FAILED},
        RefundState.FAILED: set[str](),
    }

    payment = models.ForeignKey(Payment, models.PROTECT, related_name="refunds")
    # Names the wish: asking twice for the same is asking once.
    reference = models.CharField(max_length=80, unique=True)
    amount_minor = models.PositiveBigIntegerField()
    state = models.CharField(max_length=10, choices=RefundState, default=RefundState.REQUESTED)
    provider_refund = models.CharField(max_length=120, blank=True)
    # Why it failed, or what it waits for, in words of the provider's or ours.
    problem = models.CharField(max_length=300, blank=True, db_default="")
    # The failed one that this one tries again.
    again_of = models.OneToOneField(
        "self", models.PROTECT, related_name="again", null=True, blank=True
    )
    created_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["Refund"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="payments_refund_state_is_known", condition=Q(state__in=RefundState.values)
            ),
            models.CheckConstraint(
                name="payments_refund_gives_something_back", condition=Q(amount_minor__gt=0)
            ),
            models.UniqueConstraint(
                fields=["payment", "provider_refund"],
                condition=~Q(provider_refund=""),
                name="payments_provider_refund_is_one_refund",
            ),
            models.CheckConstraint(
                name="payments_refund_is_settled_iff_not_open",
                condition=Q(state__in=OPEN_REFUNDS, settled_at=None)
                | (~Q(state__in=OPEN_REFUNDS) & ~Q(settled_at=None)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reference} ({self.get_state_display()})"


class CallKind(models.TextChoices):
    AUTHORIZE = "authorize", "open the payment"
    EXPIRE = "expire", "close the payment"
    CAPTURE = "capture", "take the money"
    VOID = "void", "let the reserved money go"
    REFUND = "refund", "give the money back"


class CallState(models.TextChoices):
    INTENDED = "intended", "intended"
    UNKNOWN = "unknown", "no answer heard"
    ANSWERED = "answered", "answered"


class ProviderCall(models.Model):
    """One call that changes something at the provider, written down before it is made."""

    MOVES = {
        CallState.INTENDED: {CallState.UNKNOWN, CallState.ANSWERED},
        CallState.UNKNOWN: {CallState.ANSWERED},
        CallState.ANSWERED: set[str](),
    }

    payment = models.ForeignKey(Payment, models.PROTECT, related_name="calls")
    refund = models.ForeignKey(Refund, models.PROTECT, related_name="calls", null=True, blank=True)
    kind = models.CharField(max_length=10, choices=CallKind)
    state = models.CharField(max_length=10, choices=CallState, default=CallState.INTENDED)
    idempotency_key = models.CharField(max_length=120, unique=True)
    # What is sent, kept so that a repetition under the same key says exactly the same.
    params = models.JSONField(default=dict)
    answer = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["ProviderCall"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="payments_call_kind_is_known", condition=Q(kind__in=CallKind.values)
            ),
            models.CheckConstraint(
                name="payments_call_state_is_known", condition=Q(state__in=CallState.values)
            ),
            models.CheckConstraint(
                name="payments_call_has_a_time_iff_answered",
                condition=Q(state=CallState.ANSWERED, answered_at__isnull=False)
                | (~Q(state=CallState.ANSWERED) & Q(answered_at=None)),
            ),
            models.CheckConstraint(
                name="payments_call_names_a_refund_iff_it_refunds",
                condition=Q(kind=CallKind.REFUND, refund__isnull=False)
                | (~Q(kind=CallKind.REFUND) & Q(refund=None)),
            ),
            models.UniqueConstraint(
                fields=["payment", "kind"],
                condition=~Q(state=CallState.ANSWERED) & ~Q(kind=CallKind.REFUND),
                name="payments_one_open_call_of_a_kind",
            ),
            models.UniqueConstraint(
                fields=["refund"],
                condition=~Q(state=CallState.ANSWERED),
                name="payments_one_open_call_for_a_refund",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.idempotency_key} ({self.get_state_display()})"


class EventState(models.TextChoices):
    RECEIVED = "received", "received"
    PROCESSED = "processed", "processed"
    IGNORED = "ignored", "of no interest"


class ProviderEvent(models.Model):
    """One webhook delivered by the provider; stored before anything is done about it."""

    MOVES = {
        EventState.RECEIVED: {EventState.PROCESSED, EventState.IGNORED},
        EventState.PROCESSED: set[str](),
        EventState.IGNORED: set[str](),
    }

    provider = models.CharField(max_length=20)
    event_id = models.CharField(max_length=120)
    kind = models.CharField(max_length=80)
    state = models.CharField(max_length=10, choices=EventState, default=EventState.RECEIVED)
    # What it names; any of them leads to the payment.
    reference = models.CharField(max_length=60, blank=True)
    provider_session = models.CharField(max_length=120, blank=True)
    provider_intent = models.CharField(max_length=120, blank=True)
    payload = models.JSONField()
    received_at = models.DateTimeField(default=timezone.now)
    handled_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["ProviderEvent"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "event_id"], name="payments_provider_event_is_stored_once"
            ),
            models.CheckConstraint(
                name="payments_provider_event_state_is_known",
                condition=Q(state__in=EventState.values),
            ),
            models.CheckConstraint(
                name="payments_provider_event_is_handled_iff_not_new",
                condition=Q(state=EventState.RECEIVED, handled_at=None)
                | (~Q(state=EventState.RECEIVED) & ~Q(handled_at=None)),
            ),
        ]
        indexes = [
            models.Index(
                fields=["received_at"],
                condition=Q(state=EventState.RECEIVED),
                name="payments_new_events",
            ),
            models.Index(fields=["reference"], name="payments_event_by_reference"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
