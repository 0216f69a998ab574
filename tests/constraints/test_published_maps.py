"""A trigger, not a constraint, holds that a published version never changes; it is broken here."""

import pytest
from django.utils import timezone

from tests.constraints.breaking import broken_by, copy
from tests.factories import VenueFactory
from tests.venues.plans import two_floors
from venues import pretix
from venues.models import SeatMap, SeatMapState
from venues.services import maps

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def published():
    plan, _ = pretix.read(two_floors())
    imported = maps.import_plan(venue_id=VenueFactory.create().pk, plan=plan)
    maps.publish(seat_map_id=imported.seat_map_id, at=timezone.now())
    return imported


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE venues_seatmap SET width = 1",
        "UPDATE venues_seatmap SET content_hash = 'other'",
        "DELETE FROM venues_seatmap",
        "UPDATE venues_section SET name = 'other'",
        "DELETE FROM venues_section",
        "UPDATE venues_row SET label = label || 'x'",
        "DELETE FROM venues_row",
        "UPDATE venues_seat SET x = 0",
        "DELETE FROM venues_seat",
        "UPDATE venues_seat SET number = '1'",
    ],
)
def test_a_published_map_never_changes(sql):
    assert broken_by(sql) == "venues_published_map_never_changes"


@pytest.mark.parametrize(
    ("table", "changes"),
    [
        ("venues_section", {"slug": "'other'"}),
        ("venues_row", {"label": "'other'"}),
        ("venues_seat", {"guid": "'other'", "index": "999", "position": "999"}),
    ],
)
def test_nothing_is_added_to_a_published_map(table, changes):
    assert broken_by(copy(table, **changes)) == "venues_published_map_never_changes"


def test_nothing_is_moved_out_of_a_published_map(published):
    plan, _ = pretix.read(two_floors())
    draft = maps.import_plan(venue_id=VenueFactory.create().pk, plan=plan)

    taken = "UPDATE venues_section SET slug = 'x', seat_map_id = %s WHERE seat_map_id = %s"

    assert (
        broken_by(taken, draft.seat_map_id, published.seat_map_id)
        == "venues_published_map_never_changes"
    )


def test_a_published_map_may_only_be_retired():
    assert SeatMap.objects.all().move_to(SeatMapState.RETIRED) == 1
