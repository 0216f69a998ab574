"""The programme in the admin: an event with its prices on one page, and steps for its life."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline
from unfold.decorators import display

from events import presales  # noqa: F401 - the pages of on-sales and their codes
from events.backstage import EventPartAdmin, OfOrganizer, VenueTimes
from events.forms import fee_form, zone_form
from events.models import (
    Event,
    EventState,
    Fare,
    Fee,
    FeeKind,
    OnSale,
    OnSaleKind,
    Organizer,
    Price,
    PriceZone,
    Series,
)
from events.steps import StepRefused, by_name, pages, possible
from ticketing.kernel import times
from ticketing.kernel.backstage import CarefulAdmin
from ticketing.kernel.money import Money

STATE_COLORS = {
    "draft": "info",
    "published": "success",
    "paused": "warning",
    "postponed": "warning",
    "cancelled": "danger",
}


@admin.register(Organizer)
class OrganizerAdmin(OfOrganizer, CarefulAdmin):
    organizer_path = ""
    list_display = ("name", "slug")
    search_fields = ("name", "slug")
    ordering = ("name",)
    prepopulated_fields = {"slug": ("name",)}
    autocomplete_fields = ("members",)


@admin.register(Series)
class SeriesAdmin(OfOrganizer, CarefulAdmin):
    organizer_path = "organizer"
    list_display = ("name", "organizer")
    list_select_related = ("organizer",)
    list_filter = (("organizer", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "organizer__name")
    ordering = ("name",)
    prepopulated_fields = {"slug": ("name",)}


class EventInline(OfOrganizer, TabularInline):
    extra = 0
    # Rows are edited where their event is.
    show_change_link = False


class OnSaleInline(EventInline):
    model = OnSale
    verbose_name_plural = gettext_lazy("On-sales: from when until just before when it sells")
    fields = ("kind", "opens_at", "closes_at")

    def get_extra(self, request: HttpRequest, obj: Model | None = None, **_options: Any) -> int:
        return 0 if obj and obj.on_sales.exists() else 1  # type: ignore[attr-defined]


class FareInline(EventInline):
    model = Fare
    verbose_name_plural = gettext_lazy(
        "Fares: who is coming, such as Adult, Child, or a Family of 4 places"
    )
    fields = ("rank", "name", "places")
    ordering = ("rank",)


class ZoneInline(EventInline):
    """The price grid: a row for each zone, a column for each fare."""

    model = PriceZone
    verbose_name = gettext_lazy("price zone")
    verbose_name_plural = gettext_lazy(
        "Price zones: where people sit, and what it costs (save fares first, each is a column here)"
    )
    ordering = ("rank",)

    def get_formset(self, request: HttpRequest, obj: Event | None = None, **options: Any) -> Any:
        options["form"] = zone_form(obj)
        options["fields"] = ["rank", "name", "categories"]
        return super().get_formset(request, obj, **options)

    def get_fields(self, request: HttpRequest, obj: Event | None = None) -> list[str]:
        form = zone_form(obj)
        prices = [name for name in form.base_fields if name.startswith("price_")]
        shown = ["rank", "name", *prices]
        return [*shown, "categories"] if obj and obj.seat_map_id else shown

    def get_readonly_fields(
        self, request: HttpRequest, obj: Event | None = None
    ) -> tuple[str, ...]:
        # Its seats were made by these; another category would change nothing.
        return ("categories",) if obj and obj.opened_at else ()

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("prices")


class FeeInline(EventInline):
    model = Fee
    verbose_name_plural = gettext_lazy("Fees: part of the first price that a fan sees")
    fields = ("name", "kind", "amount", "is_refundable")

    def get_formset(self, request: HttpRequest, obj: Event | None = None, **options: Any) -> Any:
        currency = obj.currency if obj else request.POST.get("currency") or "EUR"
        options["form"] = fee_form(currency)
        options["fields"] = ["name", "kind", "is_refundable"]
        return super().get_formset(request, obj, **options)


@admin.register(Event)
class EventAdmin(VenueTimes, OfOrganizer, CarefulAdmin):
    organizer_path = "organizer"
    list_display = ("title", "when", "venue_name", "state_label", "is_open", "organizer")
    list_display_links = ("title",)
    list_filter = (
        "state",
        "is_paused",
        ("organizer", admin.RelatedOnlyFieldListFilter),
        ("venue", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("venue", "organizer")
    search_fields = ("title", "slug", "venue__name", "venue__city", "series__name")
    date_hierarchy = "starts_at"
    ordering = ("starts_at",)
    prepopulated_fields = {"slug": ("title",)}
    autocomplete_fields = ("series", "venue", "seat_map")
    inlines = [OnSaleInline, FareInline, ZoneInline, FeeInline]
    change_form_outer_before_template = "admin/events/event/steps.html"
    readonly_fields = ("state_now", "opened")
    # Places hang on these: they stand still once the places are made.
    fixed_once_open = ("organizer", "venue", "seat_map", "currency")
    fieldsets = (
        (None, {"fields": (("title", "slug"), ("organizer", "series"), "description")}),
        (gettext_lazy("Where"), {"fields": (("venue", "seat_map"),)}),
        (gettext_lazy("When"), {"fields": ("doors_at", "starts_at", "ends_at")}),
        (
            gettext_lazy("Sale"),
            {
                "fields": (
                    ("currency", "limit_per_fan"),
                    ("lease_seconds", "payment_seconds", "max_lease_seconds"),
                )
            },
        ),
        (
            gettext_lazy("Cancelling: counts for bookings made from now on"),
            {"fields": (("fans_cancel_hours", "cancellation_fee_minor"),)},
        ),
        (gettext_lazy("State"), {"fields": (("state_now", "opened"),)}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Event | None = None) -> Any:
        fixed = self.fixed_once_open if obj and obj.opened_at else ()
        return (*self.readonly_fields, *fixed)

    def get_prepopulated_fields(self, request: HttpRequest, obj: Event | None = None) -> Any:
        # An address that was told does not follow the title.
        return {} if obj else self.prepopulated_fields

    def get_form(self, request: HttpRequest, obj: Event | None = None, **options: Any) -> Any:
        form = super().get_form(request, obj, **options)
        zone = getattr(request, "venue_zone", "")
        said = (
            _("By the clock of the venue (%(zone)s).") % {"zone": zone}
            if zone
            else _("By the clock of the venue you choose.")
        )
        for name in ("doors_at", "starts_at", "ends_at"):
            if name in form.base_fields:
                form.base_fields[name].help_text = said
        if "currency" in form.base_fields:
            # Chosen, never taken because it comes first.
            codes = Event._meta.get_field("currency").choices or ()
            form.base_fields["currency"].choices = [("", "—"), *codes]
        return form

    def get_inlines(self, request: HttpRequest, obj: Event | None = None) -> Any:
        """On a new event only what needs nothing but the event itself."""
        return self.inlines if obj else self.inlines[:2]

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        allowed: bool = super().has_delete_permission(request, obj)
        return allowed and (obj is None or obj.state == EventState.DRAFT)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        event = self.get_object(request, unquote(object_id))
        if event and event.state != EventState.DRAFT:
            self.message_user(
                request,
                _("What was on the programme is never deleted: cancel the event instead."),
                messages.ERROR,
            )
            return HttpResponseRedirect(reverse("admin:events_event_change", args=[event.pk]))
        response: HttpResponse = super().delete_view(request, object_id, extra_context)
        return response

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        listed, counts, _perms_needed, protected = super().get_deleted_objects(objs, request)
        # The parts of a draft go with it, though nobody deletes them one by one.
        return listed, counts, set(), protected

    def get_urls(self) -> Any:
        step = path(
            "<path:object_id>/step/<slug:name>/",
            self.admin_site.admin_view(self.step_view),
            name="events_event_step",
        )
        return [step, *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        event: Event | None = options.get("obj")
        if event and self.has_change_permission(request, event):
            context["steps"] = possible(event)
            context["pages"] = [page for page in pages if page.is_there(event)]
            context["presales"] = event.on_sales.filter(kind=OnSaleKind.PRESALE).order_by("pk")
        response: HttpResponse = super().render_change_form(request, context, *args, **options)
        return response

    def step_view(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """Ask whether a step shall be made; make it when the answer is posted."""
        event, step = self.get_object(request, unquote(object_id)), by_name(name)
        if event is None or step is None:
            raise Http404
        if not self.has_change_permission(request, event):
            raise PermissionDenied
        back = HttpResponseRedirect(reverse("admin:events_event_change", args=[event.pk]))
        if not step.is_possible(event):
            self.message_user(
                request, _("That is not possible, or was done meanwhile."), messages.WARNING
            )
            return back
        if request.method == "POST":
            try:
                self.message_user(request, step.run(event, timezone.now()), messages.SUCCESS)
            except StepRefused as refusal:
                for reason in refusal.reasons:
                    self.message_user(request, reason, messages.ERROR)
            return back
        context = {
            **self.admin_site.each_context(request),
            "title": step.label,
            "event": event,
            "step": step,
            "opts": self.opts,
            "when": self.when(event),
        }
        return TemplateResponse(request, "admin/events/event/step.html", context)

    @display(description=gettext_lazy("When"), ordering="starts_at")
    def when(self, event: Event) -> str:
        return times.spoken(event.starts_at, event.venue.time_zone)

    @display(description=gettext_lazy("Venue"), ordering="venue__name")
    def venue_name(self, event: Event) -> str:
        return str(event.venue)

    @display(description=gettext_lazy("State"), ordering="state", label=STATE_COLORS)
    def state_label(self, event: Event) -> tuple[str, str]:
        if event.state == EventState.PUBLISHED and event.is_paused:
            return "paused", _("paused")
        return event.state, event.get_state_display()

    @display(description=gettext_lazy("State"))
    def state_now(self, event: Event) -> str:
        _color, words = self.state_label(event)
        return str(words)

    @display(description=gettext_lazy("Opened"), boolean=True)
    def is_open(self, event: Event) -> bool:
        """Whether its places are made; the on-sales say when it sells."""
        return event.opened_at is not None

    @display(description=gettext_lazy("Opened for sale"))
    def opened(self, event: Event) -> str:
        if event.opened_at is None:
            return _("not yet")
        return times.spoken(event.opened_at, event.venue.time_zone)


@admin.register(PriceZone)
class PriceZoneAdmin(EventPartAdmin):
    list_display = ("name", "letter", "event", "categories")
    search_fields = ("name", "event__title", "event__slug")


@admin.register(Fare)
class FareAdmin(EventPartAdmin):
    list_display = ("name", "event", "rank", "places")
    search_fields = ("name", "event__title", "event__slug")


@admin.register(Price)
class PriceAdmin(EventPartAdmin):
    organizer_path = "zone__event__organizer"
    list_display = ("zone", "fare", "amount", "event")
    list_select_related = ("zone__event", "fare")
    list_filter = ()
    search_fields = ("zone__name", "fare__name", "zone__event__title", "zone__event__slug")

    @display(description=gettext_lazy("Price"), ordering="amount_minor")
    def amount(self, price: Price) -> str:
        return str(Money(price.amount_minor, price.zone.event.currency))

    @display(description=gettext_lazy("Event"))
    def event(self, price: Price) -> str:
        return str(price.zone.event)


@admin.register(Fee)
class FeeAdmin(EventPartAdmin):
    list_display = ("name", "kind_name", "amount", "event")
    search_fields = ("name", "event__title", "event__slug")

    @display(description=gettext_lazy("Amount"), ordering="amount_minor")
    def amount(self, fee: Fee) -> str:
        return str(Money(fee.amount_minor, fee.event.currency))

    @display(description=gettext_lazy("Kind"), ordering="kind")
    def kind_name(self, fee: Fee) -> str:
        return str(FeeKind(fee.kind).label)
