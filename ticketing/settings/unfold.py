"""How the admin looks, and what stands in its sidebar."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _


def _may(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: bool(request.user.has_perm(permission))


def _item(title: Any, icon: str, app: str, model: str) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{app}_{model}_changelist"),
        "permission": _may(f"{app}.view_{model}"),
    }


LOOK = {
    "SITE_TITLE": _("Ticketing"),
    "SITE_HEADER": _("Ticketing"),
    "SITE_SUBHEADER": _("Box office"),
    "SITE_SYMBOL": "confirmation_number",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "STYLES": [lambda _request: static("css/admin.css")],
    # The ink of the public pages, as the design system names it.
    "COLORS": {
        "primary": {
            "50": "#f5f5fb",
            "100": "#e9e9f6",
            "200": "#d0d0ec",
            "300": "#aeaedb",
            "400": "#8583c4",
            "500": "#6561ac",
            "600": "#4f4a92",
            "700": "#423d78",
            "800": "#38345f",
            "900": "#2f2c4d",
            "950": "#1c1a2e",
        }
    },
    "DASHBOARD_CALLBACK": "bookings.dashboard.show",
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": [
            {
                "title": _("Programme"),
                "items": [
                    _item(_("Events"), "event", "events", "event"),
                    _item(_("Series"), "theaters", "events", "series"),
                    _item(_("Organizers"), "groups", "events", "organizer"),
                ],
            },
            {
                "title": _("Sales"),
                "items": [
                    _item(_("Bookings"), "shopping_bag", "bookings", "booking"),
                    _item(_("Tickets"), "confirmation_number", "bookings", "ticket"),
                    _item(_("Payments"), "payments", "payments", "payment"),
                    _item(_("Refunds"), "undo", "payments", "refund"),
                    _item(_("Disputes"), "gavel", "payments", "dispute"),
                    _item(_("Movements of money"), "menu_book", "payments", "movement"),
                ],
            },
            {
                "title": _("Places"),
                "items": [
                    _item(_("Holds"), "timer", "inventory", "hold"),
                    _item(_("Seats on sale"), "event_seat", "inventory", "eventseat"),
                    _item(_("General admission"), "groups_2", "inventory", "admissionpool"),
                    _item(_("Blocks"), "block", "inventory", "block"),
                ],
            },
            {
                "title": _("Halls"),
                "items": [
                    _item(_("Venues"), "location_city", "venues", "venue"),
                    _item(_("Seat maps"), "map", "venues", "seatmap"),
                ],
            },
            {
                "title": _("House"),
                "collapsible": True,
                "items": [
                    _item(_("Facts"), "outbox", "kernel", "outboxmessage"),
                    _item(_("Provider calls"), "api", "payments", "providercall"),
                    _item(_("Provider events"), "webhook", "payments", "providerevent"),
                    _item(_("Mails"), "mail", "bookings", "mail"),
                    _item(_("People"), "person", "accounts", "user"),
                    _item(_("Partners"), "handshake", "accounts", "partner"),
                    _item(_("Partners' tokens"), "key", "accounts", "partnertoken"),
                    _item(_("Groups"), "shield_person", "auth", "group"),
                ],
            },
        ],
    },
}
