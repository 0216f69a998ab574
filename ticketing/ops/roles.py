"""What each kind of staff may do in the admin, as groups; whose rows they see is said elsewhere.

An organizer's people see what is their organizer's; who may `see_every_organizer` sees all.
"""

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import Group, Permission
from django.db import transaction

ORGANIZERS = "Organizers"
BOX_OFFICE = "Box office"

# What happened to places, and who of the house did it.
_STORY = ["blockchange", "holdrelease", "seatmove"]
_LOOK_AT = {
    "venues": ["venue", "seatmap", "section", "row", "seat"],
    "inventory": ["eventseat", "admissionpool", "farecap", "hold", "holdline", "block", *_STORY],
    "bookings": ["booking", "bookingline", "cancellation", "ticket", "credential", "mail"],
}
# Payments knows no organizer, so it cannot keep one from another's: not for organizers.
_MONEY = {"payments": ["payment", "movement", "dispute", "refund", "providercall", "providerevent"]}
# What an organizer writes: taken away again only while nothing of it is sold.
_EVENTS = ["series", "event", "onsale", "accesscode", "pricezone", "fare", "price", "fee"]


def _may(app: str, verbs: Iterable[str], models: Iterable[str]) -> set[str]:
    return {f"{app}.{verb}_{model}" for verb in verbs for model in models}


def _looking(at: Mapping[str, Iterable[str]]) -> set[str]:
    return {name for app, models in at.items() for name in _may(app, ["view"], models)}


ROLES: Mapping[str, set[str]] = {
    ORGANIZERS: _looking(_LOOK_AT)
    | _may("events", ["view", "add", "change", "delete"], _EVENTS)
    | _may("events", ["view"], ["organizer"])
    | _may("inventory", ["add", "change"], ["admissionpool", "block", "farecap"])
    | _may("inventory", ["delete"], ["farecap"]),
    BOX_OFFICE: _looking(_LOOK_AT)
    | _looking(_MONEY)
    | _may("payments", ["change"], ["refund"])
    | {"bookings.cancel_booking"}
    | _may("events", ["view", "change"], [*_EVENTS, "organizer"])
    | _may("inventory", ["add", "change"], ["admissionpool", "block", "farecap"])
    | _may("inventory", ["delete"], ["farecap"])
    | _may("inventory", ["change"], ["hold"])
    | _may("kernel", ["view"], ["outboxmessage", "delivery"])
    | _may("kernel", ["change"], ["outboxmessage"])
    | _may("accounts", ["view"], ["user", "partner", "partnertoken"])
    | _may("accounts", ["change"], ["partnertoken"])
    | {"events.see_every_organizer"},
}


def group(name: str) -> Group:
    return Group.objects.get(name=name)


def ensure() -> None:
    """Give each group exactly the permissions of its role; run it after every upgrade."""
    known = {
        f"{app}.{code}": pk
        for pk, app, code in Permission.objects.values_list(
            "pk", "content_type__app_label", "codename"
        )
    }
    with transaction.atomic(durable=True):
        for name, wanted in ROLES.items():
            group, _ = Group.objects.get_or_create(name=name)
            group.permissions.set(known[code] for code in wanted)
