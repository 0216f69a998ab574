import pytest
from django.db import transaction
from django.utils import timezone

from events import terms
from inventory.models import AdmissionPool, BlockKind, EventSeat, HoldRelease
from inventory.services import blocks, pools
from tests import factories
from tests.constraints.breaking import broken_by, copy
from tests.inventory.asking import place

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def placed():
    """A hold of one seat and two pool places, a block of a seat, and what staff did."""
    event = factories.opened_event(pool_capacity=5)
    seat = EventSeat.objects.filter(event=event).earliest("pk")
    last = EventSeat.objects.filter(event=event).latest("pk")
    pool = AdmissionPool.objects.get(event=event)
    with transaction.atomic():
        pools.cap_fare(pool_id=pool.pk, fare_id=terms.of(event.pk).first_fare_id, capacity=3)
    placed = place(terms.of(event.pk), [seat.pk], pools=[(pool.pk, 2)])
    kept = {"seat_ids": [last.pk], "kind": BlockKind.HOUSE, "reason": "for the band"}
    blocks.block(event_id=event.pk, **kept)
    HoldRelease.objects.create(
        hold_id=placed.hold_id, by_name="somebody", why="for the test", at=timezone.now()
    )
    return placed


@pytest.mark.parametrize(
    ("name", "table", "changes"),
    [
        ("inventory_one_hold_per_owner_and_key", "inventory_hold", {"fencing_token": "0"}),
        (
            "inventory_one_active_hold_per_fan",
            "inventory_hold",
            {"fencing_token": "0", "idempotency_key": "'another'"},
        ),
        ("inventory_hold_fencing_token_key", "inventory_hold", {"idempotency_key": "'another'"}),
        ("inventory_seat_is_sold_once_per_event", "inventory_eventseat", {}),
        ("inventory_pool_name_is_unique_in_event", "inventory_admissionpool", {}),
        ("inventory_one_cap_per_pool_and_fare", "inventory_farecap", {}),
    ],
)
def test_there_is_one_of_a_kind(name, table, changes):
    fresh = {"reference": "gen_random_uuid()"}

    assert broken_by(copy(table, **fresh, **changes)) == name


def test_inventory_seat_is_once_in_a_hold(placed):
    sql = (
        "INSERT INTO inventory_holdline (hold_id, seat_id, zone_id, fare_id, places, price_minor,"
        " fee_minor) SELECT hold_id, seat_id, zone_id, fare_id, places, price_minor, fee_minor"
        " FROM inventory_holdline WHERE seat_id IS NOT NULL"
    )
    assert broken_by(sql) == "inventory_seat_is_once_in_a_hold"


def test_inventory_pool_and_fare_are_once_in_a_hold(placed):
    sql = (
        "INSERT INTO inventory_holdline (hold_id, pool_id, zone_id, fare_id, places, price_minor,"
        " fee_minor) SELECT hold_id, pool_id, zone_id, fare_id, places, price_minor, fee_minor"
        " FROM inventory_holdline WHERE pool_id IS NOT NULL"
    )
    assert broken_by(sql) == "inventory_pool_and_fare_are_once_in_a_hold"


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("inventory_block_kind_is_known", "UPDATE inventory_block SET kind = 'x'"),
        ("inventory_hold_state_is_known", "UPDATE inventory_hold SET state='x', ended_at=now()"),
        ("inventory_hold_has_ended_iff_not_active", "UPDATE inventory_hold SET state='expired'"),
        ("inventory_hold_has_ended_iff_not_active", "UPDATE inventory_hold SET ended_at=now()"),
        (
            "inventory_lease_is_within_its_cap",
            "UPDATE inventory_hold SET expires_at = max_expires_at + interval '1 second'",
        ),
        ("inventory_lease_is_within_its_cap", "UPDATE inventory_hold SET expires_at = created_at"),
        (
            "inventory_seat_has_a_hold_iff_taken",
            "UPDATE inventory_eventseat SET state = 'x' WHERE hold_id IS NULL",
        ),
        (
            "inventory_seat_has_a_hold_iff_taken",
            "UPDATE inventory_eventseat SET state = 'available' WHERE hold_id IS NOT NULL",
        ),
        (
            "inventory_seat_has_a_hold_iff_taken",
            "UPDATE inventory_eventseat SET state = 'booked' WHERE hold_id IS NULL",
        ),
        (
            "inventory_seat_has_a_block_iff_blocked",
            "UPDATE inventory_eventseat SET state = 'blocked' WHERE hold_id IS NULL",
        ),
        (
            "inventory_seat_has_a_block_iff_blocked",
            "UPDATE inventory_eventseat SET block_id = (SELECT min(id) FROM inventory_block)",
        ),
        ("inventory_pool_is_within_capacity", "UPDATE inventory_admissionpool SET held = 6"),
        ("inventory_pool_is_within_capacity", "UPDATE inventory_admissionpool SET booked = 4"),
        ("inventory_pool_counts_are_not_negative", "UPDATE inventory_admissionpool SET held = -1"),
        ("inventory_fare_is_within_its_cap", "UPDATE inventory_farecap SET held = 4"),
        ("inventory_fare_is_within_its_cap", "UPDATE inventory_farecap SET booked = 2"),
        ("inventory_fare_cap_counts_are_not_negative", "UPDATE inventory_farecap SET held = -1"),
        (
            "inventory_line_is_of_whole_tickets",
            "UPDATE inventory_holdline SET places = 3, admits = 2 WHERE pool_id IS NOT NULL",
        ),
        (
            "inventory_line_is_of_whole_tickets",
            "UPDATE inventory_holdline SET admits = 2, cancelled = 1 WHERE pool_id IS NOT NULL",
        ),
        (
            "inventory_line_is_a_seat_or_pool_places",
            "UPDATE inventory_holdline SET places = 2 WHERE seat_id IS NOT NULL",
        ),
        ("inventory_line_is_a_seat_or_pool_places", "UPDATE inventory_holdline SET pool_id=NULL"),
        (
            "inventory_line_cancels_no_more_than_its_places",
            "UPDATE inventory_holdline SET cancelled = places + 1",
        ),
        ("inventory_seat_moves_are_append_only", "UPDATE inventory_seatmove SET became = 'booked'"),
        ("inventory_seat_moves_are_append_only", "DELETE FROM inventory_seatmove"),
        (
            "inventory_block_changes_are_append_only",
            "UPDATE inventory_blockchange SET why = 'another'",
        ),
        ("inventory_block_changes_are_append_only", "DELETE FROM inventory_blockchange"),
        (
            "inventory_hold_releases_are_append_only",
            "UPDATE inventory_holdrelease SET why = 'another'",
        ),
        ("inventory_hold_releases_are_append_only", "DELETE FROM inventory_holdrelease"),
    ],
)
def test_a_row_keeps_its_shape(name, sql):
    assert broken_by(sql) == name


@pytest.mark.parametrize(
    ("name", "table", "changes"),
    [
        ("inventory_block_change_verb_is_known", "inventory_blockchange", {"verb": "'x'"}),
        ("inventory_block_change_says_who_and_why", "inventory_blockchange", {"why": "''"}),
        ("inventory_block_change_says_who_and_why", "inventory_blockchange", {"by_name": "''"}),
        ("inventory_hold_release_says_who_and_why", "inventory_holdrelease", {"why": "''"}),
        ("inventory_hold_release_says_who_and_why", "inventory_holdrelease", {"by_name": "''"}),
        ("inventory_holdrelease_hold_id_key", "inventory_holdrelease", {}),
    ],
)
def test_a_record_of_staff_is_written_whole(name, table, changes):
    assert broken_by(copy(table, **changes)) == name
