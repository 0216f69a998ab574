from datetime import UTC, datetime

import pytest

from ticketing.kernel import times


@pytest.mark.parametrize(
    ("moment", "zone", "said"),
    [
        (datetime(2027, 2, 12, 19, tzinfo=UTC), "Europe/Berlin", "Fri 12 Feb 2027, 20:00 CET"),
        (datetime(2027, 7, 2, 18, tzinfo=UTC), "Europe/Berlin", "Fri 2 Jul 2027, 20:00 CEST"),
        (datetime(2027, 11, 18, 17, tzinfo=UTC), "Europe/London", "Thu 18 Nov 2027, 17:00 GMT"),
        (datetime(2027, 2, 12, 11, tzinfo=UTC), "Asia/Tokyo", "Fri 12 Feb 2027, 20:00 JST"),
        (datetime(2027, 2, 12, 16, tzinfo=UTC), "Asia/Dubai", "Fri 12 Feb 2027, 20:00 UTC+04"),
    ],
)
def test_a_moment_is_said_in_the_venues_zone_of_that_day(moment, zone, said):
    assert times.spoken(moment, zone) == said


def test_a_moment_that_is_near_is_said_briefly():
    moment = datetime(2027, 2, 12, 19, tzinfo=UTC)

    assert times.spoken_briefly(moment, "Europe/Berlin") == "12 Feb, 20:00 CET"


def test_paper_names_the_place_of_the_zone():
    moment = datetime(2027, 2, 12, 19, tzinfo=UTC)

    assert times.spoken_in_full(moment, "Europe/Berlin").endswith("20:00 CET (Europe/Berlin)")
