"""Times as the clock on the wall of a venue shows them, always with the zone's name. Pure."""

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from babel.dates import format_datetime
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


def zone(name: str) -> ZoneInfo:
    """The IANA zone of this name, or ValueError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no such time zone: {name!r}") from error


def validate(name: str) -> None:
    """Refuse what is not an IANA zone."""
    if name not in available_timezones():
        raise ValidationError(
            _("“%(name)s” is no time zone: write one such as Europe/Berlin."),
            params={"name": name},
        )


def zone_name(at: datetime, name: str) -> str:
    """What people call the zone on that day: CET, BST, JST, or UTC+3 where it has no letters."""
    short = at.astimezone(zone(name)).tzname() or name
    if short[0] not in "+-":
        return short
    hours, minutes = short[:3], short[3:]
    return f"UTC{hours[0]}{int(hours[1:])}" + (f":{minutes}" if minutes else "")


def display(at: datetime, name: str, *, locale: str = "en") -> str:
    """The day and time there: Fri 12 Feb 2027, 20:00 CET."""
    local = at.astimezone(zone(name))
    day = format_datetime(local, "EEE d MMM yyyy, HH:mm", locale=locale)
    return f"{day} {zone_name(at, name)}"
