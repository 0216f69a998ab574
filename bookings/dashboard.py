"""The admin's first page: how the coming events sell."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bookings import analytics
from bookings.analytics import Sales
from events.backstage import SEES_ALL
from events.models import Organizer
from inventory import sweeping
from ticketing import schedule

SWEEP_IS_LATE = gettext_lazy(
    "Lapsed holds are not being swept: the map shows their seats as taken, though anybody can still"
    " buy them. Look after the worker and the beat."
)
# An event of tonight stays until tomorrow.
STAYS = timedelta(hours=12)


def show(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the sales of the events that this person may see; called by the admin's index."""
    mine = None
    if not request.user.has_perm(SEES_ALL):
        organizers = Organizer.objects.filter(members=request.user.pk)
        mine = list(organizers.values_list("pk", flat=True))
    if sweeping.is_late(period=schedule.ENTRIES["expire holds"].every.total_seconds()):
        messages.warning(request, SWEEP_IS_LATE)
    coming = analytics.coming(since=timezone.now() - STAYS, organizer_ids=mine)
    context["sales"] = {
        "headers": [
            _("Event"),
            _("When"),
            _("Sold"),
            "",
            _("Free"),
            _("Held"),
            _("Kept back"),
            _("Bookings"),
            _("Worth"),
        ],
        "rows": [_row(event) for event in coming],
    }
    return context


def _row(sales: Sales) -> list[Any]:
    address = reverse("admin:events_event_change", args=[sales.event_id])
    return [
        format_html('<a href="{}" class="font-semibold">{}</a>', address, sales.title),
        sales.when,
        _("%(booked)s of %(capacity)s") % {"booked": sales.booked, "capacity": sales.capacity},
        format_html(
            '<meter min="0" max="100" value="{}" title="{} %"></meter>',
            sales.booked_percent,
            sales.booked_percent,
        ),
        sales.free,
        sales.held,
        sales.blocked,
        sales.bookings,
        sales.gross.display(),
    ]
