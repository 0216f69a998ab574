"""Money in the admin: read by whoever may view it, and moved only by services."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as said
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from payments.errors import MoreThanThere
from payments.models import (
    CallState,
    Dispute,
    DisputeState,
    EventState,
    Movement,
    MovementKind,
    Payment,
    PaymentState,
    ProviderCall,
    ProviderEvent,
    Refund,
    RefundState,
)
from payments.services import refunds
from ticketing.kernel.backstage import ReadOnlyAdmin, ReadOnlyInline
from ticketing.kernel.money import Money

LABELS = {
    PaymentState.CREATED: "info",
    PaymentState.PENDING: "info",
    PaymentState.AUTHORIZED: "warning",
    PaymentState.CAPTURED: "success",
    PaymentState.DECLINED: "danger",
    PaymentState.EXPIRED: "default",
    PaymentState.VOIDED: "default",
    PaymentState.CAPTURE_FAILED: "danger",
}
CALL_LABELS = {
    CallState.INTENDED: "warning",
    CallState.UNKNOWN: "danger",
    CallState.ANSWERED: "success",
}
REFUND_LABELS = {
    RefundState.REQUESTED: "info",
    RefundState.PENDING: "warning",
    RefundState.SUCCEEDED: "success",
    RefundState.FAILED: "danger",
}
EVENT_LABELS = {
    EventState.RECEIVED: "warning",
    EventState.PROCESSED: "success",
    EventState.IGNORED: "default",
}
DISPUTE_LABELS = {
    DisputeState.OPEN: "danger",
    DisputeState.WON: "success",
    DisputeState.LOST: "default",
}
MOVEMENT_LABELS = {
    MovementKind.AUTHORIZED: "info",
    MovementKind.VOIDED: "default",
    MovementKind.CAPTURED: "success",
    MovementKind.REFUNDED: "warning",
    MovementKind.REFUND_FAILED: "danger",
    MovementKind.FEE: "default",
    MovementKind.DISPUTE: "danger",
}


def _money(minor: int, payment: Payment) -> str:
    return str(Money(minor, payment.currency)) if minor else ""


class MovementInline(ReadOnlyInline):
    model = Movement
    fields = ["at", "kind", "amount", "provider_id", "call"]
    readonly_fields = ["amount"]
    ordering = ["pk"]
    show_change_link = False
    tab = True
    hide_title = True

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Movement]":
        rows: QuerySet[Movement] = super().get_queryset(request)
        return rows.select_related("call")

    @display(description=_("amount"))
    def amount(self, movement: Movement) -> str:
        return str(movement.amount)


class CallInline(ReadOnlyInline):
    model = ProviderCall
    fields = ["kind", "state", "created_at", "answered_at", "answer", "idempotency_key"]
    ordering = ["created_at"]
    show_change_link = False
    tab = True
    hide_title = True


class RefundInline(ReadOnlyInline):
    model = Refund
    fields = ["reference", "state", "amount", "problem", "created_at", "settled_at"]
    readonly_fields = ["amount"]
    ordering = ["created_at"]
    show_change_link = False
    tab = True
    hide_title = True

    @display(description=_("amount"))
    def amount(self, refund: Refund) -> str:
        return _money(refund.amount_minor, refund.payment)


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    list_display = ["reference", "shown_state", "amount", "refunded", "created_at", "deadline_at"]
    list_filter = ["state", "provider", "currency"]
    search_fields = ["reference", "provider_intent", "provider_session"]
    date_hierarchy = "created_at"
    ordering = ["-created_at"]
    inlines = [MovementInline, CallInline, RefundInline]
    readonly_fields = ["amount", "captured", "refunded"]
    fieldsets = [
        (
            None,
            {"fields": ["reference", "state", "amount", "captured", "refunded"]},
        ),
        (
            _("When"),
            {
                "fields": [
                    "created_at",
                    "deadline_at",
                    "authorized_at",
                    "settled_at",
                    "unwanted_at",
                    "next_check_at",
                ]
            },
        ),
        (
            _("At the provider"),
            {"fields": ["provider", "provider_session", "provider_intent", "last_problem"]},
        ),
    ]

    @display(description=_("state"), ordering="state", label=LABELS)
    def shown_state(self, payment: Payment) -> tuple[str, str]:
        return payment.state, payment.get_state_display()

    @display(description=_("amount"), ordering="amount_minor")
    def amount(self, payment: Payment) -> str:
        return str(payment.amount)

    @display(description=_("taken"), ordering="captured_minor")
    def captured(self, payment: Payment) -> str:
        return _money(payment.captured_minor, payment)

    @display(description=_("given back"), ordering="refunded_minor")
    def refunded(self, payment: Payment) -> str:
        return _money(payment.refunded_minor, payment)


@admin.register(Dispute)
class DisputeAdmin(ReadOnlyAdmin):
    list_display = ["provider_dispute", "payment", "shown_state", "amount", "reason", "opened_at"]
    list_filter = ["state", "reason"]
    list_select_related = ["payment"]
    search_fields = ["provider_dispute", "payment__reference", "payment__provider_intent"]
    ordering = ["-opened_at"]

    @display(description=_("state"), ordering="state", label=DISPUTE_LABELS)
    def shown_state(self, dispute: Dispute) -> tuple[str, str]:
        return dispute.state, dispute.get_state_display()

    @display(description=_("amount"), ordering="amount_minor")
    def amount(self, dispute: Dispute) -> str:
        return _money(dispute.amount_minor, dispute.payment)


@admin.register(Movement)
class MovementAdmin(ReadOnlyAdmin):
    list_display = ["at", "payment", "shown_kind", "amount", "provider_id"]
    list_display_links = ["at"]
    list_filter = ["kind", "currency"]
    list_select_related = ["payment"]
    search_fields = ["payment__reference", "provider_id"]
    fields = ["payment", "kind", "amount", "at", "provider_id", "call"]
    readonly_fields = ["amount"]
    date_hierarchy = "at"
    ordering = ["-pk"]

    @display(description=_("kind"), ordering="kind", label=MOVEMENT_LABELS)
    def shown_kind(self, movement: Movement) -> tuple[str, str]:
        return movement.kind, movement.get_kind_display()

    @display(description=_("amount"), ordering="amount_minor")
    def amount(self, movement: Movement) -> str:
        return str(movement.amount)


@admin.register(ProviderCall)
class ProviderCallAdmin(ReadOnlyAdmin):
    # What was sent names the payer, and the link behind which the tickets are.
    exclude = ["params"]
    list_display = ["idempotency_key", "kind", "shown_state", "created_at", "answered_at"]
    list_filter = ["state", "kind"]
    list_select_related = ["payment"]
    search_fields = ["idempotency_key", "payment__reference", "payment__provider_intent"]
    ordering = ["-created_at"]

    @display(description=_("state"), ordering="state", label=CALL_LABELS)
    def shown_state(self, call: ProviderCall) -> tuple[str, str]:
        return call.state, call.get_state_display()


@admin.register(Refund)
class RefundAdmin(ReadOnlyAdmin):
    list_display = ["reference", "shown_state", "amount", "problem", "created_at", "settled_at"]
    list_filter = ["state"]
    list_select_related = ["payment"]
    search_fields = ["reference", "payment__reference", "provider_refund"]
    ordering = ["-created_at"]
    actions = ["try_again"]

    @admin.action(description=_("Try again what failed"), permissions=["try_again"])
    def try_again(self, request: HttpRequest, chosen: "QuerySet[Refund]") -> None:
        """Ask anew for the failed ones among these, each once."""
        asked = 0
        for refund in chosen:
            try:
                asked += refunds.try_again(reference=refund.reference, at=timezone.now())
            except MoreThanThere as refusal:
                text = said("%(refund)s: only %(left)s is left to give back.")
                values = {"refund": refund.reference, "left": refusal.left}
                self.message_user(request, text % values, messages.ERROR)
        text = said("%(n)d refunds are asked for again.")
        self.message_user(request, text % {"n": asked}, messages.SUCCESS)

    def has_try_again_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("payments.change_refund"))

    @display(description=_("state"), ordering="state", label=REFUND_LABELS)
    def shown_state(self, refund: Refund) -> tuple[str, str]:
        return refund.state, refund.get_state_display()

    @display(description=_("amount"), ordering="amount_minor")
    def amount(self, refund: Refund) -> str:
        return _money(refund.amount_minor, refund.payment)


@admin.register(ProviderEvent)
class ProviderEventAdmin(ReadOnlyAdmin):
    # The same goes for what was received; the provider's dashboard shows it to who may see it.
    exclude = ["payload"]
    list_display = ["kind", "reference", "shown_state", "received_at", "handled_at", "event_id"]
    list_filter = ["state", "kind"]
    search_fields = ["event_id", "reference", "provider_intent", "provider_session"]
    ordering = ["-received_at"]

    @display(description=_("state"), ordering="state", label=EVENT_LABELS)
    def shown_state(self, event: ProviderEvent) -> tuple[str, str]:
        return event.state, event.get_state_display()
