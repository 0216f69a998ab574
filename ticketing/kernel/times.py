"""Moments as people read them: always in the venue's zone, and the zone always said."""

from datetime import datetime
from zoneinfo import ZoneInfo

from babel.dates import format_datetime


def spoken(moment: datetime, zone: str, *, locale: str = "en") -> str:
    """A moment in a zone: Fri 12 Feb 2027, 20:00 CET."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{format_datetime(local, 'EEE d MMM y, HH:mm', locale=locale)} {_zone_name(local)}"


def spoken_briefly(moment: datetime, zone: str, *, locale: str = "en") -> str:
    """Without weekday and year, for a moment that is near: 12 Feb, 20:00 CET."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{format_datetime(local, 'd MMM, HH:mm', locale=locale)} {_zone_name(local)}"


def spoken_in_full(moment: datetime, zone: str, *, locale: str = "en") -> str:
    """The same with the zone's place, for paper and mail: Fri 12 Feb 2027, 20:00 CET (…/Berlin)."""
    return f"{spoken(moment, zone, locale=locale)} ({zone})"


def clock(moment: datetime, zone: str) -> str:
    """Only the time of day, with its zone: 19:00 CET."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local:%H:%M} {_zone_name(local)}"


def exact(moment: datetime, zone: str) -> str:
    """To the millisecond, for who looks into what happened: 2027-02-12 20:00:01.250 CET."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local:%Y-%m-%d %H:%M:%S}.{local.microsecond // 1000:03} {_zone_name(local)}"


def _zone_name(local: datetime) -> str:
    """CET, or UTC+03 where the zone has no name of its own."""
    name = local.tzname() or ""
    return f"UTC{name}" if name[:1] in {"+", "-"} else name
