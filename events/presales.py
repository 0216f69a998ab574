"""The codes of a presale in the admin: made, shown once, and counted."""

import csv
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextInputWidget

from events import codes, uses
from events.backstage import EventPartAdmin, OfOrganizer
from events.errors import UnfitCode
from events.models import AccessCode, OnSale, OnSaleKind
from events.services import access
from ticketing.kernel import times
from ticketing.kernel.backstage import ReadOnlyAdmin

# As many as one page, and one transaction, can carry.
MOST = 20_000
USUAL = {"number": 100, "max_holds": 1}


class CodesForm(forms.Form):
    """What all codes of one making have in common."""

    label = forms.CharField(
        max_length=100,
        required=False,
        label=gettext_lazy("What they are for"),
        help_text=gettext_lazy("Only you see this, such as: fan club letter 3."),
        widget=UnfoldAdminTextInputWidget,
    )
    max_holds = forms.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        label=gettext_lazy("Purchases for each code"),
        help_text=gettext_lazy("At one time, paid or being paid. Empty: any number."),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    max_places = forms.IntegerField(
        min_value=1,
        max_value=2**15 - 1,
        required=False,
        label=gettext_lazy("Places for each fan"),
        help_text=gettext_lazy("Empty: as many as the event allows."),
        widget=UnfoldAdminIntegerFieldWidget,
    )


class MakeForm(CodesForm):
    number = forms.IntegerField(
        min_value=1,
        max_value=MOST,
        label=gettext_lazy("How many codes"),
        widget=UnfoldAdminIntegerFieldWidget,
    )
    field_order = ("number",)


class WordForm(CodesForm):
    code = forms.CharField(
        max_length=codes.LONGEST,
        label=gettext_lazy("The word"),
        help_text=gettext_lazy(
            "Six letters or digits, or more. Spaces, dashes and capitals do not matter. A word that"
            " people know can be guessed: limit what it is worth."
        ),
        widget=UnfoldAdminTextInputWidget,
    )
    field_order = ("code",)


Alike = tuple[str, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Batch:
    """Codes of one label and limit, and how they are used."""

    label: str
    max_holds: int | None
    max_places: int | None
    codes: int
    # Codes that somebody uses, and purchases by all of them.
    used: int
    purchases: int


def batches(on_sale: OnSale) -> list[Batch]:
    """The codes of a presale, those that were made alike together."""
    rows = list(on_sale.access_codes.order_by("pk").only("label", "max_holds", "max_places"))
    used = uses.of([code.pk for code in rows])
    number: Counter[Alike] = Counter()
    in_use: Counter[Alike] = Counter()
    purchases: Counter[Alike] = Counter()
    for code in rows:
        alike = (code.label, code.max_holds, code.max_places)
        number[alike] += 1
        in_use[alike] += code.pk in used
        purchases[alike] += used.get(code.pk, 0)
    return [Batch(*alike, number[alike], in_use[alike], purchases[alike]) for alike in number]


def _file(on_sale: OnSale, made: list[str]) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="codes-{on_sale.event.slug}.csv"'
    writer = csv.writer(response)
    writer.writerow(["code"])
    writer.writerows([code] for code in made)
    return response


@admin.register(OnSale)
class OnSaleAdmin(EventPartAdmin):
    list_display = ("event", "kind", "opens", "closes", "codes")
    list_select_related = ("event__venue",)
    list_filter = ("kind",)
    search_fields = ("event__title", "event__slug")
    ordering = ("-opens_at",)
    fields = ("event", "kind", "opens", "closes", "codes")
    readonly_fields = ("opens", "closes", "codes")

    def get_urls(self) -> Any:
        view = self.admin_site.admin_view(self.codes_view)
        return [
            path("<path:object_id>/codes/", view, name="events_onsale_codes"),
            *super().get_urls(),
        ]

    def codes_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Make codes and show them this once; show how those of before are used."""
        on_sale = self.get_object(request, unquote(object_id))
        if on_sale is None or on_sale.kind != OnSaleKind.PRESALE:
            raise Http404
        if not request.user.has_perm("events.add_accesscode"):
            raise PermissionDenied
        posted = request.POST if request.method == "POST" else None
        word = WordForm(posted if "word" in request.POST else None, auto_id="word_%s")
        many = MakeForm(None if "word" in request.POST else posted, initial=USUAL)
        made: list[str] = []
        if word.is_valid() and _add(on_sale, word):
            self.message_user(request, _("The word opens the presale now."), messages.SUCCESS)
            return HttpResponseRedirect(request.path)
        if many.is_valid():
            made = access.make(on_sale_id=on_sale.pk, **many.cleaned_data)
            if "download" in request.POST:
                return _file(on_sale, made)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Presale codes"),
            "opts": self.opts,
            "on_sale": on_sale,
            "opens": self.opens(on_sale),
            "closes": self.closes(on_sale),
            "forms": [many, word],
            "made": made,
            "batches": batches(on_sale),
        }
        return TemplateResponse(request, "admin/events/onsale/codes.html", context)

    @display(description=gettext_lazy("Opens"), ordering="opens_at")
    def opens(self, sale: OnSale) -> str:
        return times.spoken(sale.opens_at, sale.event.venue.time_zone)

    @display(description=gettext_lazy("Closes"), ordering="closes_at")
    def closes(self, sale: OnSale) -> str:
        return times.spoken(sale.closes_at, sale.event.venue.time_zone)

    @display(description=gettext_lazy("Codes"))
    def codes(self, sale: OnSale) -> str:
        if sale.kind != OnSaleKind.PRESALE:
            return "—"
        address = reverse("admin:events_onsale_codes", args=[sale.pk])
        return format_html('<a href="{}">{}</a>', address, _("Make or count codes"))


@admin.register(AccessCode)
class AccessCodeAdmin(OfOrganizer, ReadOnlyAdmin):
    """Codes by what is known of them; one that is not in use can be taken back by deleting it."""

    organizer_path = "on_sale__event__organizer"
    list_display = ("id", "label", "event", "on_sale", "max_holds", "max_places")
    list_select_related = ("on_sale__event",)
    search_fields = ("label", "on_sale__event__title", "on_sale__event__slug")
    fields = ("on_sale", "label", ("max_holds", "max_places"), "purchases", "created_at")
    readonly_fields = ("purchases", "created_at")
    ordering = ("-pk",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("events.delete_accesscode")

    @display(description=gettext_lazy("Event"))
    def event(self, code: AccessCode) -> str:
        return str(code.on_sale.event)

    @display(description=gettext_lazy("Purchases"))
    def purchases(self, code: AccessCode) -> int:
        return uses.of([code.pk]).get(code.pk, 0)


def _add(on_sale: OnSale, word: WordForm) -> bool:
    try:
        access.add(on_sale_id=on_sale.pk, **word.cleaned_data)
    except UnfitCode:
        word.add_error("code", _("Too short, or a code of this presale already."))
        return False
    return True
