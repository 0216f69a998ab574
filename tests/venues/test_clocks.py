import pytest
from django.core.exceptions import ValidationError

from tests.factories import VenueFactory
from venues import clocks


@pytest.mark.parametrize("name", ["Mars/Base", "../etc/passwd", "", "europe/berlin", "x\0y"])
def test_only_names_of_zones_are_zones(name):
    with pytest.raises(ValidationError):
        clocks.validate(name)


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC"])
def test_a_zone_is_taken_by_its_full_name(name):
    clocks.validate(name)


def test_a_venue_says_which_of_its_fields_is_wrong():
    venue = VenueFactory.build(time_zone="Berlin")

    with pytest.raises(ValidationError) as refusal:
        venue.clean()

    assert "Berlin" in refusal.value.message_dict["time_zone"][0]
