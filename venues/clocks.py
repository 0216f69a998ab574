"""Which time zones a venue can be in."""

from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


def validate(name: str) -> None:
    """Refuse what is not an IANA zone."""
    if name not in available_timezones():
        raise ValidationError(
            _("“%(name)s” is no time zone: write one such as Europe/Berlin."),
            params={"name": name},
        )
