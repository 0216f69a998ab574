"""Facts in the admin: what waits, what failed, and another try."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import display

from ticketing.kernel import outbox
from ticketing.kernel.backstage import ReadOnlyAdmin, ReadOnlyInline
from ticketing.kernel.models import Delivery, OutboxMessage

STATE_COLORS = {"open": "info", "done": "success", "dead": "danger"}


class StateFilter(admin.SimpleListFilter):
    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("open", _("waiting")), ("dead", _("failed too often")), ("done", _("done"))]

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[OutboxMessage]"
    ) -> "QuerySet[OutboxMessage]":
        if self.value() == "open":
            return queryset.filter(done_at=None, dead_at=None)
        if self.value() == "dead":
            return queryset.filter(dead_at__isnull=False)
        if self.value() == "done":
            return queryset.filter(done_at__isnull=False)
        return queryset


class DeliveryInline(ReadOnlyInline):
    model = Delivery
    fields = ("handler", "done_at")
    show_change_link = False


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    list_display = ("topic", "key", "state", "attempts", "created_at", "last_error")
    list_filter = (StateFilter, "topic")
    search_fields = ("topic", "key", "last_error")
    ordering = ("-pk",)
    inlines = [DeliveryInline]
    actions = ["try_again"]

    @admin.action(description=gettext_lazy("Try again"), permissions=["retry"])
    def try_again(self, request: HttpRequest, chosen: "QuerySet[OutboxMessage]") -> None:
        count = outbox.retry(message_ids=list(chosen.values_list("pk", flat=True)))
        if count:
            text = ngettext("%d fact is told again.", "%d facts are told again.", count) % count
            self.message_user(request, text, messages.SUCCESS)
        else:
            text = _("None of these has failed for good: they are told again by themselves.")
            self.message_user(request, text, messages.WARNING)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("kernel.change_outboxmessage"))

    @display(description=gettext_lazy("State"), label=STATE_COLORS)
    def state(self, message: OutboxMessage) -> tuple[str, str]:
        if message.dead_at:
            return "dead", _("failed too often")
        return ("done", _("done")) if message.done_at else ("open", _("waiting"))


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("handler", "message", "done_at")
    list_select_related = ("message",)
    search_fields = ("handler", "message__topic", "message__key")
    ordering = ("-pk",)
