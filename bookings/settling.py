"""The settlement of an event in the admin: a page that its event leads to, and its spreadsheet."""

import io
from typing import Any

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bookings import settlement
from events import steps
from events.models import Event
from events.steps import Page
from ticketing.kernel import spreadsheets, times

NAME = "bookings_settlement"
steps.pages.append(
    Page(f"admin:{NAME}", gettext_lazy("Settlement"), lambda event: event.opened_at is not None)
)


def show(request: HttpRequest, event_id: int, *, site: AdminSite, opts: Any) -> HttpResponse:
    """What the event brought in, by currency; with `?csv` every payment, for a spreadsheet."""
    # Of the events that this person sees on the list of events, and no other.
    event = site.get_model_admin(Event).get_object(request, str(event_id))
    if event is None:
        raise Http404
    if not request.user.has_perm("bookings.view_booking"):
        raise PermissionDenied
    settled = settlement.of_event(event.pk, at=timezone.now())
    if "csv" in request.GET:
        return _spreadsheet(event, settled)
    context = {
        **site.each_context(request),
        "title": _("Settlement"),
        "opts": opts,
        "event": event,
        "settled": settled,
        "as_of": times.spoken(settled.at, event.venue.time_zone),
        "sums": {
            "headers": [
                _("Sold for"),
                _("Taken"),
                _("Reserved, not taken yet"),
                _("Came too late"),
                _("Given back"),
                _("Kept by the provider"),
                _("Disputed"),
                _("Net"),
            ],
            "rows": [
                [
                    str(amount)
                    for amount in (
                        sums.sold,
                        sums.gross,
                        sums.open,
                        sums.late,
                        sums.refunded,
                        sums.fees,
                        sums.disputed,
                        sums.net,
                    )
                ]
                for sums in settled.sums
            ],
        },
    }
    return TemplateResponse(request, "admin/bookings/booking/settlement.html", context)


def _spreadsheet(event: Event, settled: settlement.Settlement) -> HttpResponse:
    file = io.StringIO(newline="")
    spreadsheets.write(file, settlement.table(settled))
    return HttpResponse(
        file.getvalue().encode(spreadsheets.ENCODING),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="settlement-{event.slug}.csv"'},
    )
