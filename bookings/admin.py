"""Bookings in the admin: what was sold, to whom, and what became of it."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils.translation import gettext_lazy
from unfold.decorators import display

from bookings import desk, settling
from bookings.models import Booking, BookingLine, Cancellation, Credential, Mail, Ticket
from events.backstage import OfOrganizer
from ticketing.kernel import times
from ticketing.kernel.backstage import ReadOnlyAdmin, ReadOnlyInline
from ticketing.kernel.money import Money
from venues import naming

STATE_COLORS = {
    "pending": "warning",
    "confirmed": "success",
    "lapsed": "",
    "cancelled": "danger",
}
TICKET_COLORS = {"valid": "success", "revoked": "danger"}


class BookingLineInline(ReadOnlyInline):
    model = BookingLine
    fields = ("position", "place", "fare_name", "price", "fee", "cancellation")
    readonly_fields = ("place", "price", "fee")
    ordering = ("position",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("booking")

    @display(description=gettext_lazy("Place"))
    def place(self, line: BookingLine) -> str:
        return _place_name(line)

    @display(description=gettext_lazy("Price"))
    def price(self, line: BookingLine) -> str:
        return str(Money(line.price_minor, line.booking.currency))

    @display(description=gettext_lazy("Fee"))
    def fee(self, line: BookingLine) -> str:
        return str(Money(line.fee_minor, line.booking.currency))


class CancellationInline(ReadOnlyInline):
    model = Cancellation
    fields = ("at", "cause", "who", "why", "refund", "kept")
    readonly_fields = ("who", "refund", "kept")
    ordering = ("pk",)
    show_change_link = False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("booking", "by")


class MailInline(ReadOnlyInline):
    model = Mail
    fields = ("kind", "created_at", "sent_at")
    show_change_link = False


@admin.register(Booking)
class BookingAdmin(OfOrganizer, ReadOnlyAdmin):
    list_display = ("reference", "event", "state_label", "name", "email", "total_shown", "made")
    list_select_related = ("event__venue",)
    list_filter = ("state", "lapse_reason", ("event", admin.RelatedOnlyFieldListFilter))
    search_fields = ("reference", "email", "name", "event__title", "event__slug")
    date_hierarchy = "created_at"
    ordering = ("-pk",)
    fields = (
        ("reference", "state", "lapse_reason"),
        ("event", "hold"),
        ("name", "email"),
        ("total_shown", "currency", "attempt"),
        ("created_at", "confirmed_at"),
        ("lapsed_at", "cancelled_at"),
    )
    readonly_fields = ("total_shown",)
    change_form_outer_before_template = "admin/bookings/booking/steps.html"
    inlines = [BookingLineInline, CancellationInline, MailInline]

    def get_urls(self) -> Any:
        settlement = path(
            "settlement/<int:event_id>/",
            self.admin_site.admin_view(self.settlement_view),
            name=settling.NAME,
        )
        cancel = path(
            "<int:booking_id>/cancel/",
            self.admin_site.admin_view(self.cancel_view),
            name="bookings_booking_cancel",
        )
        return [settlement, cancel, *super().get_urls()]

    def settlement_view(self, request: HttpRequest, event_id: int) -> HttpResponse:
        return settling.show(request, event_id, site=self.admin_site, opts=self.opts)

    def cancel_view(self, request: HttpRequest, booking_id: int) -> HttpResponse:
        return desk.page(
            request, get_object_or_404(self.get_queryset(request), pk=booking_id), self.admin_site
        )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        booking: Booking | None = options.get("obj")
        context["may_cancel"] = booking is not None and desk.may_cancel(request, booking)
        response: HttpResponse = super().render_change_form(request, context, *args, **options)
        return response

    @display(description=gettext_lazy("State"), ordering="state", label=STATE_COLORS)
    def state_label(self, booking: Booking) -> tuple[str, str]:
        return booking.state, booking.get_state_display()

    @display(description=gettext_lazy("Total"), ordering="amount_minor")
    def total_shown(self, booking: Booking) -> str:
        return str(booking.total)

    @display(description=gettext_lazy("Made"), ordering="created_at")
    def made(self, booking: Booking) -> str:
        return times.spoken(booking.created_at, booking.event.venue.time_zone)


@admin.register(Cancellation)
class CancellationAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "booking__event__organizer"
    list_display = ("at", "booking", "cause", "who", "why", "refund", "kept")
    list_select_related = ("booking", "by")
    list_filter = ("cause",)
    search_fields = ("why", "booking__reference", "booking__email", "booking__event__title")
    ordering = ("-pk",)


@admin.register(BookingLine)
class BookingLineAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "booking__event__organizer"
    list_display = ("booking", "position", "place", "fare_name", "price")
    list_select_related = ("booking",)
    search_fields = ("booking__reference", "section_name", "booking__email")
    raw_id_fields = ("seat", "pool", "booking")
    ordering = ("-pk",)

    @display(description=gettext_lazy("Place"))
    def place(self, line: BookingLine) -> str:
        return _place_name(line)

    @display(description=gettext_lazy("Price"), ordering="price_minor")
    def price(self, line: BookingLine) -> str:
        return str(Money(line.price_minor, line.booking.currency))


class CredentialInline(ReadOnlyInline):
    """When codes were issued and voided; the code itself opens a door and is not shown."""

    model = Credential
    fields = ("issued_at", "voided_at")
    show_change_link = False


@admin.register(Ticket)
class TicketAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "line__booking__event__organizer"
    list_display = ("id", "booking", "place", "state_label", "issued_at")
    list_select_related = ("line__booking",)
    list_filter = ("state",)
    search_fields = ("line__booking__reference", "line__booking__email", "line__booking__name")
    raw_id_fields = ("line",)
    ordering = ("-pk",)
    inlines = [CredentialInline]

    @display(description=gettext_lazy("Booking"))
    def booking(self, ticket: Ticket) -> str:
        return str(ticket.line.booking)

    @display(description=gettext_lazy("Place"))
    def place(self, ticket: Ticket) -> str:
        return _place_name(ticket.line)

    @display(description=gettext_lazy("State"), ordering="state", label=TICKET_COLORS)
    def state_label(self, ticket: Ticket) -> tuple[str, str]:
        return ticket.state, ticket.get_state_display()


@admin.register(Credential)
class CredentialAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "ticket__line__booking__event__organizer"
    list_display = ("id", "booking", "issued_at", "voided_at")
    list_select_related = ("ticket__line__booking",)
    search_fields = ("=code", "ticket__line__booking__reference")
    fields = ("ticket", "issued_at", "voided_at")
    ordering = ("-pk",)

    @display(description=gettext_lazy("Booking"))
    def booking(self, credential: Credential) -> str:
        return str(credential.ticket.line.booking)


@admin.register(Mail)
class MailAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "booking__event__organizer"
    list_display = ("kind", "booking", "created_at", "sent_at")
    list_select_related = ("booking",)
    list_filter = ("kind",)
    search_fields = ("booking__reference", "booking__email")
    ordering = ("-pk",)


def _place_name(line: BookingLine) -> str:
    return naming.place_name(line.section_name, line.row_label, line.seat_number)
