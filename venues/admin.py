"""Halls in the admin: venues are edited, maps come in as files and are published here."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display

from ticketing.kernel.backstage import CarefulAdmin, ReadOnlyAdmin, ReadOnlyInline
from venues import selectors
from venues.errors import NotADraft, SeatsWouldVanish
from venues.models import Row, Seat, SeatMap, SeatMapState, Section, Venue
from venues.services import maps

STATE_COLORS = {"draft": "info", "published": "success", "retired": "warning"}


class SeatMapInline(ReadOnlyInline):
    model = SeatMap
    verbose_name_plural = gettext_lazy("Seat maps: `manage.py import_seatmap` brings in a new one")
    fields = ("name", "version", "state", "published_at")
    ordering = ("name", "-version")


@admin.register(Venue)
class VenueAdmin(CarefulAdmin):
    list_display = ("name", "city", "country", "time_zone")
    list_filter = ("country", "city")
    search_fields = ("name", "slug", "city", "address")
    ordering = ("name",)
    prepopulated_fields = {"slug": ("name",)}
    fieldsets = (
        (None, {"fields": (("name", "slug"), "address", ("city", "country"), "time_zone")}),
    )
    inlines = [SeatMapInline]

    def get_prepopulated_fields(self, request: HttpRequest, obj: Venue | None = None) -> Any:
        return {} if obj else self.prepopulated_fields


class SectionInline(ReadOnlyInline):
    model = Section
    fields = ("name", "kind", "capacity", "category", "rank")
    ordering = ("rank",)


@admin.register(SeatMap)
class SeatMapAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "venue", "state_label", "seat_count", "published_at")
    list_select_related = ("venue",)
    list_filter = ("state", ("venue", admin.RelatedOnlyFieldListFilter))
    search_fields = ("name", "venue__name", "content_hash")
    ordering = ("venue__name", "name", "-version")
    fields = ("preview", ("venue", "name", "version"), ("state", "published_at"), "content_hash")
    readonly_fields = ("preview",)
    inlines = [SectionInline]
    actions = ["publish"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[SeatMap]":
        rows: QuerySet[SeatMap] = super().get_queryset(request)
        return rows.annotate(seat_count=Count("seats"))

    @admin.action(description=gettext_lazy("Publish"), permissions=["publish"])
    def publish(self, request: HttpRequest, chosen: "QuerySet[SeatMap]") -> None:
        for seat_map in chosen:
            try:
                if maps.publish(seat_map_id=seat_map.pk, at=timezone.now()):
                    self.message_user(request, _("%s is published.") % seat_map, messages.SUCCESS)
                else:
                    self.message_user(request, _("%s was published already.") % seat_map)
            except NotADraft:
                self.message_user(
                    request, _("%s is retired: import it again.") % seat_map, messages.ERROR
                )
            except SeatsWouldVanish as error:
                self.message_user(
                    request,
                    _("%(map)s lacks seats that somebody holds or owns: %(seats)s.")
                    % {"map": seat_map, "seats": ", ".join(sorted(error.guids)[:20])},
                    messages.ERROR,
                )

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("venues.change_seatmap"))

    @display(description=gettext_lazy("State"), ordering="state", label=STATE_COLORS)
    def state_label(self, seat_map: SeatMap) -> tuple[str, str]:
        return seat_map.state, SeatMapState(seat_map.state).label

    @display(description=gettext_lazy("Seats"), ordering="seat_count")
    def seat_count(self, seat_map: SeatMap) -> int:
        return int(getattr(seat_map, "seat_count", 0))

    @display(description=gettext_lazy("Outline"))
    def preview(self, seat_map: SeatMap) -> SafeString:
        """The hall from above: its sections and what is drawn."""
        drawing = selectors.drawing(seat_map.pk)
        shapes = format_html_join(
            "",
            '<polygon points="{}" fill="#d6d3d1"/>',
            ((_points(s.points),) for s in drawing.shapes),
        )
        sections = format_html_join(
            "",
            '<polygon points="{}" fill="#7dd3fc" fill-opacity=".5" stroke="#0369a1"'
            ' vector-effect="non-scaling-stroke"><title>{}: {}</title></polygon>',
            ((_points(s.outline), s.name, s.places) for s in drawing.sections),
        )
        return format_html(
            '<svg viewBox="0 0 {} {}" role="img" aria-label="{}"'
            ' style="max-height:22rem;max-width:100%;width:30rem">{}{}</svg>',
            drawing.width,
            drawing.height,
            seat_map,
            shapes,
            sections,
        )


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


@admin.register(Section)
class SectionAdmin(ReadOnlyAdmin):
    list_display = ("name", "kind", "seat_map", "capacity", "category")
    list_select_related = ("seat_map",)
    list_filter = ("kind", ("seat_map__venue", admin.RelatedOnlyFieldListFilter))
    search_fields = ("name", "seat_map__name", "seat_map__venue__name")


@admin.register(Row)
class RowAdmin(ReadOnlyAdmin):
    list_display = ("label", "section", "seat_map")
    list_select_related = ("section__seat_map",)
    list_filter = (("section__seat_map__venue", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("label", "section__name", "section__seat_map__venue__name")

    @display(description=gettext_lazy("Seat map"))
    def seat_map(self, row: Row) -> str:
        return str(row.section.seat_map)


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    list_display = ("guid", "section", "row", "number", "category", "is_wheelchair", "seat_map")
    list_select_related = ("seat_map", "row__section")
    list_filter = ("is_wheelchair", ("seat_map__venue", admin.RelatedOnlyFieldListFilter))
    search_fields = ("guid", "category", "row__label", "row__section__name")
    raw_id_fields = ("row", "seat_map")

    @display(description=gettext_lazy("Section"))
    def section(self, seat: Seat) -> str:
        return str(seat.row.section)
