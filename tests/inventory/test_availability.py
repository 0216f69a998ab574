import pytest
from django.core.cache import cache
from django.utils import timezone

from events import availability as registry
from events import terms
from events.availability import Level
from inventory import availability
from inventory.models import EventSeat
from tests.factories import opened_event
from tests.inventory.asking import place
from tests.venues.plans import two_floors
from venues import pretix
from venues.errors import SeatsWouldVanish
from venues.services import maps

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forgetful():
    """Levels are kept for a few seconds, ids of another run's events longer than that."""
    cache.clear()
    yield
    cache.clear()


@pytest.mark.parametrize(
    ("free", "places", "level"),
    [(0, 100, Level.NONE), (1, 100, Level.FEW), (9, 100, Level.FEW), (10, 100, Level.MANY)],
)
def test_few_is_less_than_a_tenth(free, places, level):
    assert Level.of(free, places, few=availability.FEW) == level


def test_seats_and_pools_count_together():
    event = opened_event(rows=1, seats_per_row=2, pool_capacity=1)
    other = opened_event(rows=0, pool_capacity=5)
    seats = EventSeat.objects.filter(event=event).values_list("pk", flat=True)
    place(terms.of(event.pk), list(seats))

    found = registry.levels([event.pk, other.pk, 0])

    assert found == {event.pk: Level.MANY, other.pk: Level.MANY}


def test_an_event_whose_places_are_all_held_has_none_left():
    event = opened_event(rows=1, seats_per_row=2)
    seats = EventSeat.objects.filter(event=event).values_list("pk", flat=True)
    place(terms.of(event.pk), list(seats))

    assert registry.levels([event.pk]) == {event.pk: Level.NONE}


def test_a_level_is_counted_once_in_a_few_seconds(django_assert_num_queries):
    event = opened_event(rows=1)
    availability.levels([event.pk])

    with django_assert_num_queries(0):
        assert availability.levels([event.pk]) == {event.pk: Level.MANY}


def test_a_new_version_without_a_held_seat_is_refused_by_name():
    event = opened_event(rows=1)
    seat = EventSeat.objects.filter(event=event).select_related("seat").earliest("pk")
    place(terms.of(event.pk), [seat.pk])
    plan, _ = pretix.read(two_floors())
    imported = maps.import_plan(venue_id=event.venue_id, plan=plan, name=event.seat_map.name)

    with pytest.raises(SeatsWouldVanish) as refusal:
        maps.publish(seat_map_id=imported.seat_map_id, at=timezone.now())

    assert refusal.value.guids == {seat.seat.guid}
