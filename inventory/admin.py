"""Places in the admin: looked at, and let go; only services change whose they are."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from events import steps
from events.admin import EventAdmin, EventInline
from events.backstage import OfOrganizer
from events.models import Event, EventState, Fare, PriceZone
from events.steps import Step, StepRefused
from inventory import blocking  # noqa: F401 - the page of blocked seats
from inventory.errors import OpeningRefused, PaymentStarted
from inventory.models import (
    AdmissionPool,
    BlockChange,
    EventSeat,
    FareCap,
    Hold,
    HoldLine,
    HoldRelease,
    HoldState,
    SeatMove,
)
from inventory.services import opening, pools, releasing
from inventory.services.releasing import Ended
from ticketing.kernel import times
from ticketing.kernel.acting import Actor
from ticketing.kernel.backstage import CarefulAdmin, ReadOnlyAdmin, ReadOnlyInline
from ticketing.kernel.money import Money
from venues import naming

HOLD_COLORS = {
    "active": "success",
    "lapsed": "warning",
    "confirmed": "info",
    "released": "",
    "expired": "",
}
SEAT_COLORS = {"available": "success", "held": "warning", "booked": "info", "blocked": "danger"}


def _open(event: Event, at: datetime) -> str:
    try:
        opened = opening.open_event(event_id=event.pk, at=at)
    except OpeningRefused as refusal:
        raise StepRefused(refusal.reasons) from refusal
    return _("Open for sale, with %(seats)d seats and %(pools)d pools of places.") % {
        "seats": opened.seats,
        "pools": opened.pools,
    }


# Here and not in events, which knows no seats.
steps.steps.insert(
    0,
    Step(
        "open",
        gettext_lazy("Open for sale"),
        gettext_lazy(
            "This makes a place for every seat of the map and puts the event on the programme."
            " Its on-sales say from when it sells. Venue, map and currency are fixed from then on."
        ),
        lambda event: (
            event.opened_at is None and event.state in {EventState.DRAFT, EventState.PUBLISHED}
        ),
        _open,
    ),
)


class PoolForm(forms.ModelForm):  # type: ignore[type-arg]
    """Refuses a capacity below what is taken, and never writes the counts of what is taken."""

    class Meta:
        model = AdmissionPool
        fields = ("name", "zone", "capacity")

    def clean_capacity(self) -> int:
        capacity = int(self.cleaned_data["capacity"])
        if self.instance.pk and "capacity" in self.changed_data:
            # Locked until the page is saved: nobody takes a place between this and then.
            taken = pools.lock_and_count(pool_id=self.instance.pk)
            if capacity < taken:
                raise forms.ValidationError(
                    _("%(taken)d places are held or booked: choose that many or more."),
                    params={"taken": taken},
                )
        return capacity

    def save(self, commit: bool = True) -> AdmissionPool:
        if self.instance.pk and commit:
            self.instance.save(update_fields=self.changed_data)
        else:
            super().save(commit)
        pool: AdmissionPool = self.instance
        return pool


class PoolInline(EventInline):
    model = AdmissionPool
    form = PoolForm
    verbose_name = gettext_lazy("general admission")
    verbose_name_plural = gettext_lazy(
        "General admission: counted places without seats (standing areas of a map come by"
        " themselves when the event is opened)"
    )
    fields = ("name", "zone", "capacity", "held", "booked")
    readonly_fields = ("held", "booked")
    can_delete = False

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.name == "zone":
            options["queryset"] = PriceZone.objects.filter(event_id=_page_id(request) or 0)
        return super().formfield_for_foreignkey(db_field, request, **options)

    def has_add_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        # A pool needs a zone, and zones need a saved event.
        allowed: bool = super().has_add_permission(request, obj)
        return allowed and obj is not None


def _page_id(request: HttpRequest) -> int | None:
    match = request.resolver_match
    found = match.kwargs.get("object_id", "") if match else ""
    return int(found) if str(found).isdecimal() else None


EventAdmin.inlines.append(PoolInline)


class FareCapForm(forms.ModelForm):  # type: ignore[type-arg]
    """Sets a cap by the service, which counts what is taken already."""

    class Meta:
        model = FareCap
        fields = ("fare", "capacity")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["fare"].disabled = bool(self.instance.pk)

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        if {"fare", "capacity"} <= said.keys():
            # Locked until the page is saved: nobody takes a place between this and then.
            taken = sum(
                pools.lock_and_count_fare(pool_id=self.instance.pool_id, fare_id=said["fare"].pk)
            )
            if said["capacity"] < taken:
                text = _(
                    "%(taken)d places are held or booked at this fare: choose as many or more."
                )
                raise forms.ValidationError({"capacity": text % {"taken": taken}})
        return said

    def save(self, commit: bool = True) -> FareCap:
        said = self.cleaned_data
        made = pools.cap_fare(
            pool_id=self.instance.pool_id, fare_id=said["fare"].pk, capacity=said["capacity"]
        )
        return FareCap.objects.get(pk=made)


class FareCapInline(EventInline):
    model = FareCap
    organizer_path = "pool__event__organizer"
    form = FareCapForm
    verbose_name = gettext_lazy("cap")
    verbose_name_plural = gettext_lazy("Caps: of these places, so many at most at one fare")
    fields = ("fare", "capacity", "held", "booked")
    readonly_fields = ("held", "booked")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        pool = AdmissionPool.objects.filter(pk=_page_id(request) or 0)
        options["queryset"] = Fare.objects.filter(event__in=pool.values("event"))
        return super().formfield_for_foreignkey(db_field, request, **options)


@admin.register(AdmissionPool)
class AdmissionPoolAdmin(OfOrganizer, CarefulAdmin):
    form = PoolForm
    list_display = ("name", "event", "zone", "capacity", "held", "booked", "free")
    list_select_related = ("event", "zone")
    list_filter = (("event", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "event__title", "event__slug")
    fields = ("event", "name", "zone", "capacity", "held", "booked")
    readonly_fields = ("event", "zone", "held", "booked")
    inlines = [FareCapInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        # Added on the page of its event, where its zones are.
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        form.save()

    @display(description=gettext_lazy("Free"))
    def free(self, pool: AdmissionPool) -> int:
        return pool.capacity - pool.held - pool.booked


@admin.register(FareCap)
class FareCapAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "pool__event__organizer"
    list_display = ("pool", "fare", "capacity", "held", "booked")
    list_select_related = ("pool", "fare")
    search_fields = ("pool__name", "fare__name", "pool__event__title", "pool__event__slug")


class HoldLineInline(ReadOnlyInline):
    model = HoldLine
    fields = ("place", "zone", "fare", "places", "admits", "price", "fee")
    readonly_fields = ("place", "price", "fee")
    show_change_link = False

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        return rows.select_related(
            "hold", "pool", "zone", "fare", "seat__section", "seat__seat__row"
        )

    @display(description=gettext_lazy("Place"))
    def place(self, line: HoldLine) -> str:
        return _place_name(line.seat) if line.seat else str(line.pool)

    @display(description=gettext_lazy("Price"))
    def price(self, line: HoldLine) -> str:
        return str(Money(line.price_minor, line.hold.currency))

    @display(description=gettext_lazy("Fee"))
    def fee(self, line: HoldLine) -> str:
        return str(Money(line.fee_minor, line.hold.currency))


class ReleaseForm(forms.Form):
    why = forms.CharField(
        max_length=500, label=gettext_lazy("Why"), widget=UnfoldAdminTextInputWidget
    )
    even_if_paying = forms.BooleanField(
        required=False,
        label=gettext_lazy("Also while the fan is paying"),
        help_text=gettext_lazy("Money that comes then goes back by itself."),
        widget=UnfoldBooleanWidget,
    )


def _release(hold: Hold, by: Actor, *, why: str, even_if_paying: bool) -> tuple[str, int]:
    """Release it; what to say about that, and how loudly."""
    try:
        ended = releasing.release(
            reference=hold.reference, why=why, by=by, even_if_paying=even_if_paying
        )
    except PaymentStarted:
        return _("%(hold)s stays: its fan is paying."), messages.ERROR
    if ended == Ended.WAS_OVER:
        return _("%(hold)s was over already."), messages.WARNING
    return _("%(hold)s is released."), messages.SUCCESS


@admin.register(Hold)
class HoldAdmin(OfOrganizer, ReadOnlyAdmin):
    list_display = ("id", "event", "state_label", "owner", "expires", "fencing_token")
    list_select_related = ("event__venue",)
    list_filter = ("state", ("event", admin.RelatedOnlyFieldListFilter))
    search_fields = (
        "=reference",
        "owner",
        "creator",
        "event__title",
        "event__slug",
        "=fencing_token",
    )
    ordering = ("-pk",)
    inlines = [HoldLineInline]
    actions = ["release"]

    @admin.action(
        description=gettext_lazy("Release: give the places back"), permissions=["release"]
    )
    def release(self, request: HttpRequest, chosen: "QuerySet[Hold]") -> HttpResponse | None:
        """Ask why, and release the holds when that is answered."""
        form = ReleaseForm(request.POST if "why" in request.POST else None)
        if not form.is_valid():
            context = {
                **self.admin_site.each_context(request),
                "title": _("Release holds"),
                "opts": self.opts,
                "holds": [(hold, self.state_label(hold)[1]) for hold in chosen],
                "form": form,
            }
            return TemplateResponse(request, "admin/inventory/hold/release.html", context)
        by = Actor(user_id=request.user.pk)
        for hold in chosen:
            said, level = _release(hold, by, **form.cleaned_data)
            self.message_user(request, said % {"hold": hold}, level)
        return None

    def has_release_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("inventory.change_hold"))

    @display(description=gettext_lazy("State"), ordering="state", label=HOLD_COLORS)
    def state_label(self, hold: Hold) -> tuple[str, str]:
        if hold.state == HoldState.ACTIVE and hold.expires_at <= timezone.now():
            return "lapsed", _("lapsed: free again")
        return hold.state, hold.get_state_display()

    @display(description=gettext_lazy("Lease until"), ordering="expires_at")
    def expires(self, hold: Hold) -> str:
        return times.spoken(hold.expires_at, hold.event.venue.time_zone)


@admin.register(HoldLine)
class HoldLineAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "hold__event__organizer"
    list_display = ("id", "hold", "place", "zone", "fare", "places")
    list_select_related = ("hold", "pool", "zone", "fare", "seat__section", "seat__seat__row")
    search_fields = ("=hold__reference", "hold__event__title", "seat__seat__guid")
    raw_id_fields = ("hold", "seat", "pool")
    ordering = ("-pk",)

    @display(description=gettext_lazy("Place"))
    def place(self, line: HoldLine) -> str:
        return _place_name(line.seat) if line.seat else str(line.pool)


@admin.register(EventSeat)
class EventSeatAdmin(OfOrganizer, ReadOnlyAdmin):
    list_display = ("id", "place", "event", "zone", "state_label", "hold", "fencing_token")
    list_select_related = ("event", "zone", "hold", "section", "seat__row")
    list_filter = ("state", ("event", admin.RelatedOnlyFieldListFilter))
    search_fields = ("event__title", "event__slug", "=seat__guid", "section__name")
    raw_id_fields = ("seat", "hold", "block")

    @display(description=gettext_lazy("Place"))
    def place(self, seat: EventSeat) -> str:
        return _place_name(seat)

    @display(description=gettext_lazy("State"), ordering="state", label=SEAT_COLORS)
    def state_label(self, seat: EventSeat) -> tuple[str, str]:
        return seat.state, seat.get_state_display()


def _place_name(seat: EventSeat) -> str:
    return naming.place_name(seat.section.name, seat.seat.row.label, seat.seat.number)


@admin.register(BlockChange)
class BlockChangeAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "block__event__organizer"
    list_display = ("at", "block", "verb", "who", "why")
    list_select_related = ("block", "by")
    search_fields = ("why", "block__reason", "block__event__title", "block__event__slug")


@admin.register(HoldRelease)
class HoldReleaseAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "hold__event__organizer"
    list_display = ("at", "hold", "who", "why")
    list_select_related = ("hold", "by")
    search_fields = ("why", "=hold__reference", "hold__event__title", "hold__event__slug")


@admin.register(SeatMove)
class SeatMoveAdmin(OfOrganizer, ReadOnlyAdmin):
    organizer_path = "seat__event__organizer"
    list_display = ("at", "seat", "was", "became", "hold", "fencing_token")
    list_select_related = ("seat", "hold")
    search_fields = ("=seat__id", "=hold__reference", "=fencing_token")
    ordering = ("-pk",)
