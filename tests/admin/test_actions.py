"""What staff do from a list: give a hold back, publish a map, tell a fact again."""

import pytest
from django.urls import reverse
from django.utils import timezone

from events import terms
from inventory.models import EventSeat, Hold, HoldRelease, HoldState
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


def act(client, page, action, *rows, **said):
    return client.post(
        reverse(f"admin:{page}_changelist"),
        {"action": action, "_selected_action": [row.pk for row in rows]} | said,
        follow=True,
    ).content.decode()


@pytest.fixture
def hold(event):
    seat = EventSeat.objects.filter(event=event).earliest("pk")
    return Hold.objects.get(pk=place(terms.of(event.pk), [seat.pk]).hold_id)


def test_a_hold_is_released_from_the_list_once_it_is_said_why(boss, hold):
    assert "Release 1 hold" in act(boss, "inventory_hold", "release", hold)
    hold.refresh_from_db()
    assert hold.state == HoldState.ACTIVE

    assert "is released" in act(boss, "inventory_hold", "release", hold, why="by phone")
    assert "was over already" in act(boss, "inventory_hold", "release", hold, why="by phone")

    hold.refresh_from_db()
    assert hold.state == HoldState.RELEASED
    assert HoldRelease.objects.get(hold=hold).why == "by phone"


def test_a_hold_that_is_being_paid_is_released_only_when_that_is_wanted(boss, hold):
    Hold.objects.filter(pk=hold.pk).update(payment_started_at=hold.created_at)

    assert "its fan is paying" in act(boss, "inventory_hold", "release", hold, why="fraud")
    told = act(boss, "inventory_hold", "release", hold, why="fraud", even_if_paying="on")

    assert "is released" in told


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
