from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from venues import clocks


@pytest.mark.parametrize(
    ("at", "zone", "shown"),
    [
        ((2027, 2, 12, 19), "Europe/Berlin", "Fri 12 Feb 2027, 20:00 CET"),
        ((2027, 7, 1, 18), "Europe/Berlin", "Thu 1 Jul 2027, 20:00 CEST"),
        ((2027, 11, 18, 17), "Europe/London", "Thu 18 Nov 2027, 17:00 GMT"),
        ((2027, 2, 12, 19), "Asia/Tokyo", "Sat 13 Feb 2027, 04:00 JST"),
        ((2027, 2, 12, 19), "America/Sao_Paulo", "Fri 12 Feb 2027, 16:00 UTC-3"),
        ((2027, 2, 12, 19), "Asia/Kathmandu", "Sat 13 Feb 2027, 00:45 UTC+5:45"),
    ],
)
def test_a_time_is_shown_as_the_clock_in_the_hall_shows_it(at, zone, shown):
    year, month, day, hour = at

    assert clocks.display(datetime(year, month, day, hour, tzinfo=UTC), zone) == shown


@pytest.mark.parametrize("name", ["Mars/Base", "../etc/passwd", "", "europe/berlin", "x\0y"])
def test_only_names_of_zones_are_zones(name):
    with pytest.raises(ValidationError):
        clocks.validate(name)


def test_a_zone_that_nobody_knows_is_a_value_error():
    with pytest.raises(ValueError, match="Mars/Base"):
        clocks.zone("Mars/Base")
