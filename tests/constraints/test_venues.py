import pytest

from tests.constraints.breaking import broken_by, copy
from tests.factories import VenueFactory
from tests.venues.plans import two_floors
from venues import pretix
from venues.services import maps

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def draft():
    """A map that is still a draft, so that only the constraint stands in the way."""
    plan, _ = pretix.read(two_floors())
    return maps.import_plan(venue_id=VenueFactory.create().pk, plan=plan)


@pytest.mark.parametrize(
    ("name", "table", "changes"),
    [
        ("venues_seat_map_version_is_unique", "venues_seatmap", {}),
        ("venues_section_slug_is_unique_in_map", "venues_section", {}),
        ("venues_row_label_is_unique_in_section", "venues_row", {}),
        (
            "venues_seat_guid_is_unique_in_map",
            "venues_seat",
            {"index": "999", "position": "999"},
        ),
        (
            "venues_seat_index_is_unique_in_map",
            "venues_seat",
            {"guid": "'another'", "position": "999"},
        ),
        (
            "venues_seat_position_is_unique_in_row",
            "venues_seat",
            {"guid": "'another'", "index": "999"},
        ),
    ],
)
def test_there_is_one_of_a_kind(name, table, changes):
    assert broken_by(copy(table, **changes)) == name


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        (
            "venues_seat_map_state_is_known",
            "UPDATE venues_seatmap SET state='x', published_at=now()",
        ),
        (
            "venues_seat_map_is_published_with_hash_and_time",
            "UPDATE venues_seatmap SET state='published'",
        ),
        (
            "venues_seat_map_is_published_with_hash_and_time",
            "UPDATE venues_seatmap SET state='published', published_at=now(), content_hash=''",
        ),
        (
            "venues_seat_map_is_published_with_hash_and_time",
            "UPDATE venues_seatmap SET published_at=now()",
        ),
        ("venues_section_has_capacity_iff_standing", "UPDATE venues_section SET capacity=5"),
        ("venues_section_has_capacity_iff_standing", "UPDATE venues_section SET kind='standing'"),
    ],
)
def test_the_shape_of_a_state_is_kept(name, sql):
    assert broken_by(sql) == name
