import pytest
from django.db import transaction

from inventory.models import AdmissionPool
from inventory.services import pools
from tests.factories import draft_event, opened_event

pytestmark = pytest.mark.django_db


def test_what_is_taken_is_held_and_booked_together():
    event = opened_event(rows=0, pool_capacity=100)
    AdmissionPool.objects.filter(event=event).update(booked=75, held=5)

    with transaction.atomic(durable=True):
        taken = pools.lock_and_count(pool_id=AdmissionPool.objects.get(event=event).pk)

    assert taken == 80


def test_an_event_gets_places_without_seats():
    event = draft_event()
    zone = event.price_zones.get()

    made = pools.add(event_id=event.pk, zone_id=zone.pk, name="Lawn", capacity=30)

    pool = AdmissionPool.objects.get(pk=made)
    assert (pool.event, pool.zone, pool.capacity) == (event, zone, 30)
