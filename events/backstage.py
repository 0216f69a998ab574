"""Admin pages of what belongs to an organizer, in the time of a venue."""

from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import admin
from django.db.models import ForeignKey, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from events.models import Event
from ticketing.kernel.backstage import ReadOnlyAdmin
from venues.models import Venue

# What a person reads instead of a field's own name.
LABELS = {
    "doors_at": _("Doors open"),
    "starts_at": _("Starts"),
    "ends_at": _("Ends"),
    "opens_at": _("Opens"),
    "closes_at": _("Closes"),
    "rank": _("Order"),
    "slug": _("Name in addresses"),
    "limit_per_fan": _("Places per fan"),
    "lease_seconds": _("Lease (seconds)"),
    "payment_seconds": _("Time to pay (seconds)"),
    "max_lease_seconds": _("Longest lease (seconds)"),
    "fans_cancel_hours": _("Fans may cancel (hours)"),
    "cancellation_fee_minor": _("Kept of a cancelled ticket"),
    "is_refundable": _("Given back on refund"),
}
SEES_ALL = "events.see_every_organizer"


class OfOrganizer:
    """Shows people the rows of their own organizers, and offers no other in a choice.

    `organizer_path` leads from the model to the organizer.
    """

    organizer_path = "event__organizer"

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        rows: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc]
        if request.user.has_perm(SEES_ALL):
            return rows
        mine = f"{self.organizer_path}__members" if self.organizer_path else "members"
        return rows.filter(Q(**{mine: request.user.pk}))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.name in LABELS:
            options.setdefault("label", LABELS[db_field.name])
        return super().formfield_for_dbfield(db_field, request, **options)  # type: ignore[misc]

    def formfield_for_foreignkey(
        self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **options: Any
    ) -> Any:
        # What may be chosen is what may be seen in the list of its own.
        page = self.admin_site.get_model_admin(db_field.related_model)  # type: ignore[attr-defined]
        options.setdefault("queryset", page.get_queryset(request))
        return super().formfield_for_foreignkey(db_field, request, **options)  # type: ignore[misc]


class EventPartAdmin(OfOrganizer, ReadOnlyAdmin):
    """Parts of an event can be found and read on their own; they are edited on its page."""

    list_select_related: tuple[str, ...] = ("event",)
    list_filter: tuple[Any, ...] = (("event", admin.RelatedOnlyFieldListFilter),)


class VenueTimes:
    """Shows and reads all times of a page by the clock of the venue, whoever sits where."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        venue = self.venue_of(request, object_id)
        request.venue_zone = venue.time_zone if venue else ""  # type: ignore[attr-defined]
        with timezone.override(ZoneInfo(venue.time_zone if venue else "UTC")):
            response: HttpResponse = super().changeform_view(  # type: ignore[misc]
                request, object_id, form_url, extra_context
            )
            # Drawn before the clock is put back.
            return response.render() if isinstance(response, TemplateResponse) else response

    def venue_of(self, request: HttpRequest, object_id: str | None) -> Venue | None:
        """The venue chosen in the form, else that of the row."""
        chosen = request.POST.get("venue", "")
        if chosen.isdecimal():
            return Venue.objects.filter(pk=int(chosen)).first()
        if object_id and object_id.isdecimal():
            found = Event.objects.filter(pk=int(object_id)).select_related("venue").first()
            return found.venue if found else None
        return None
