"""What staff do from a list: give a hold back, publish a map, tell a fact again."""

import pytest
from django.urls import reverse
from django.utils import timezone

from events import terms
from inventory.models import EventSeat, Hold, HoldState
from tests.factories import UserFactory, VenueFactory
from tests.inventory.asking import place
from tests.venues.plans import two_floors
from ticketing.kernel.models import OutboxMessage
from venues import pretix
from venues.models import SeatMap, SeatMapState
from venues.services import maps

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(client):
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    return client


def act(client, page, action, *rows):
    return client.post(
        reverse(f"admin:{page}_changelist"),
        {"action": action, "_selected_action": [row.pk for row in rows]},
        follow=True,
    ).content.decode()


@pytest.fixture
def hold(event):
    seat = EventSeat.objects.filter(event=event).earliest("pk")
    return Hold.objects.get(pk=place(terms.of(event.pk), [seat.pk]).hold_id)


def test_a_hold_is_released_from_the_list(boss, hold):
    assert "is released" in act(boss, "inventory_hold", "release", hold)
    assert "was over already" in act(boss, "inventory_hold", "release", hold)

    hold.refresh_from_db()
    assert hold.state == HoldState.RELEASED


def test_a_lapsed_hold_is_shown_as_lapsed(boss, hold):
    Hold.objects.filter(pk=hold.pk).update(
        created_at="2020-01-01T00:00Z", expires_at="2020-01-02T00:00Z"
    )

    page = boss.get(reverse("admin:inventory_hold_changelist")).content.decode()

    assert "lapsed: free again" in page


def test_who_may_only_look_is_offered_no_action(client, organizer, hold):
    client.force_login(organizer)

    act(client, "inventory_hold", "release", hold)

    hold.refresh_from_db()
    assert hold.state == HoldState.ACTIVE


def test_a_map_is_published_from_the_list(boss):
    plan, _ = pretix.read(two_floors())
    imported = maps.import_plan(venue_id=VenueFactory.create().pk, plan=plan)
    seat_map = SeatMap.objects.get(pk=imported.seat_map_id)

    assert "is published" in act(boss, "venues_seatmap", "publish", seat_map)
    assert "was published already" in act(boss, "venues_seatmap", "publish", seat_map)

    seat_map.refresh_from_db()
    assert seat_map.state == SeatMapState.PUBLISHED


def test_a_dead_fact_is_told_again_from_the_list(client, staff):
    client.force_login(staff)
    fact = OutboxMessage.objects.create(
        topic="x.y_happened", key="1", payload={}, attempts=14, dead_at=timezone.now()
    )

    assert "1 fact is told again" in act(client, "kernel_outboxmessage", "try_again", fact)

    fact.refresh_from_db()
    assert (fact.dead_at, fact.attempts) == (None, 0)
