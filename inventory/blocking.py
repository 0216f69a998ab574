"""The blocked seats of an event in the admin: looked at, set after a look, and lifted again."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from events import steps
from events.backstage import OfOrganizer
from events.models import Event
from events.steps import Page
from inventory import halls, ranges, reports, standing
from inventory.errors import NotBlocked, NotFree
from inventory.models import BY_HAND, Block, BlockKind, EventSeat, SeatState
from inventory.ranges import Hall, Unclear
from inventory.services import blocks
from ticketing.kernel.acting import Actor
from ticketing.kernel.backstage import CarefulAdmin

# A textarea of the admin holds a whole plan, not a book.
LONGEST_LIST = 20_000
KINDS = [(kind.value, kind.label) for kind in BY_HAND]
steps.pages.append(
    Page(
        "admin:inventory_block_seats",
        gettext_lazy("Blocked seats"),
        lambda event: event.opened_at is not None and event.seat_map_id is not None,
    )
)


class SeatsForm(forms.Form):
    """Seats in words, read against the hall of one event."""

    seats = forms.CharField(
        max_length=LONGEST_LIST,
        label=gettext_lazy("Seats"),
        help_text=gettext_lazy(
            "A line each: a section, a section and rows, or a section, a row and seats, apart by"
            " semicolons. Several rows or seats by commas and dashes: 1-3, 5."
        ),
    )

    def __init__(self, *args: Any, hall: Hall, **options: Any) -> None:
        super().__init__(*args, **options)
        self.hall = hall
        example = ranges.example(hall)
        self.fields["seats"].widget = UnfoldAdminTextareaWidget(
            attrs={"rows": 4, "placeholder": example}
        )

    def clean_seats(self) -> list[int]:
        try:
            return ranges.read(self.cleaned_data["seats"], self.hall)
        except Unclear as unclear:
            raise forms.ValidationError(list(unclear.problems)) from unclear

    def refuse(self, reasons: list[str]) -> None:
        self.add_error("seats", forms.ValidationError(reasons))


class BlockForm(SeatsForm):
    kind = forms.ChoiceField(
        choices=KINDS,
        initial=BlockKind.HOUSE,
        label=gettext_lazy("Kind"),
        widget=UnfoldAdminRadioSelectWidget,
    )
    reason = forms.CharField(
        max_length=200,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("For whoever reads it later, such as: guests of the band."),
        widget=UnfoldAdminTextInputWidget,
    )
    field_order = ("seats", "kind", "reason")


class LiftForm(SeatsForm):
    """Of one block: the seats named, or all of it."""

    why = forms.CharField(
        max_length=500, label=gettext_lazy("Why"), widget=UnfoldAdminTextInputWidget
    )
    field_order = ("why", "seats")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["seats"].required = False
        self.fields["seats"].help_text = _("Named as above. Empty: all seats of this block.")


@dataclass(frozen=True, slots=True)
class Kept:
    """A block, its seats in words, and the form that lifts them."""

    block: Block
    seats: str
    lift: LiftForm


@admin.register(Block)
class BlockAdmin(OfOrganizer, CarefulAdmin):
    """Blocks of all events; the seats of one are set and lifted on a page of its event."""

    list_display = ("kind", "reason", "event", "created_at", "created_by")
    list_select_related = ("event", "created_by")
    list_filter = ("kind", ("event", admin.RelatedOnlyFieldListFilter))
    search_fields = ("reason", "event__title", "event__slug")
    fields = ("event", "kind", "reason", "created_at", "created_by")
    readonly_fields = ("event", "created_at", "created_by")

    def has_add_permission(self, request: HttpRequest) -> bool:
        # By seats, on the page of its event.
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def formfield_for_choice_field(
        self, db_field: Any, request: HttpRequest, **options: Any
    ) -> Any:
        # Its one field with choices is the kind.
        return super().formfield_for_choice_field(db_field, request, **options | {"choices": KINDS})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        blocks.edit(
            block_id=obj.pk,
            kind=obj.kind,
            reason=obj.reason,
            by=Actor(user_id=request.user.pk),
            at=timezone.now(),
        )

    def get_urls(self) -> Any:
        page = self.admin_site.admin_view(self.seats_view)
        return [path("of/<int:event_id>/", page, name="inventory_block_seats"), *super().get_urls()]

    def seats_view(self, request: HttpRequest, event_id: int) -> HttpResponse:
        """Show what is blocked; block seats after a look at them; lift them again."""
        event = self.admin_site.get_model_admin(Event).get_object(request, str(event_id))
        hall = halls.of(event.pk) if event else None
        if event is None or not hall or not hall.sections:
            raise Http404
        if not request.user.has_perm("inventory.add_block"):
            raise PermissionDenied
        posted = request.POST if request.method == "POST" else None
        lifts = request.POST.get("lift", "")
        form = BlockForm(None if lifts else posted, hall=hall, auto_id="block_%s")
        kept = _kept(event, hall, lifts, posted)
        if form.is_valid():
            # What was looked at may have been sold since: blocking looks again by itself.
            done = _block(event, form, request) if "block" in request.POST else _look(event, form)
        else:
            done = next((_lift(each, request) for each in kept if each.lift.is_valid()), "")
        if done and "look" not in request.POST:
            self.message_user(request, done, messages.SUCCESS)
            return HttpResponseRedirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Blocked seats"),
            "opts": self.opts,
            "event": event,
            "hall": hall,
            "kept": kept,
            "form": form,
            "looked_at": done,
        }
        return TemplateResponse(request, "admin/inventory/block/seats.html", context)


def _kept(event: Event, hall: Hall, lifts: str, posted: Any) -> list[Kept]:
    """The blocks of the event that have seats, the newest first."""
    rows = Block.objects.filter(event=event).select_related("created_by").order_by("-pk")
    seats: dict[int, list[int]] = defaultdict(list)
    blocked = EventSeat.objects.filter(event=event, state=SeatState.BLOCKED)
    for block_id, seat_id in blocked.values_list("block_id", "pk"):
        seats[block_id].append(seat_id)
    return [
        Kept(
            block,
            reports.counted(seats[block.pk], hall),
            LiftForm(
                posted if lifts == str(block.pk) else None, hall=hall, auto_id=f"{block.pk}_%s"
            ),
        )
        for block in rows
        if block.pk in seats
    ]


def _look(event: Event, form: BlockForm) -> str:
    """What blocking these seats would do; empty, and said in the form, if it would be refused."""
    found = standing.of(event_id=event.pk, seat_ids=form.cleaned_data["seats"])
    if found.not_free:
        form.refuse(reports.in_the_way(found, form.hall, event.venue.time_zone))
        return ""
    return reports.counted(form.cleaned_data["seats"], form.hall)


def _block(event: Event, form: BlockForm, request: HttpRequest) -> str:
    """Block these seats and say so; empty, and said in the form, if that is refused."""
    seats = form.cleaned_data["seats"]
    try:
        blocks.block(
            event_id=event.pk,
            seat_ids=seats,
            kind=BlockKind(form.cleaned_data["kind"]),
            reason=form.cleaned_data["reason"],
            by=Actor(user_id=request.user.pk),
        )
    except NotFree as refusal:
        form.refuse(reports.in_the_way(refusal.standing, form.hall, event.venue.time_zone))
        return ""
    return _("Kept from sale: %s") % reports.counted(seats, form.hall)


def _lift(kept: Kept, request: HttpRequest) -> str:
    """Lift these seats, or the whole block, and say so; empty, and said in the form, if refused."""
    form, block = kept.lift, kept.block
    by, why = Actor(user_id=request.user.pk), form.cleaned_data["why"]
    if not form.cleaned_data["seats"]:
        blocks.lift_block(block_id=block.pk, why=why, by=by)
        return _("On sale again: %s") % kept.seats
    seats = form.cleaned_data["seats"]
    try:
        blocks.lift(event_id=block.event_id, seat_ids=seats, why=why, by=by, only=block.pk)
    except NotBlocked as refusal:
        form.refuse([reports.not_blocked(refusal.seat_ids, form.hall)])
        return ""
    return _("On sale again: %s") % reports.counted(seats, form.hall)
