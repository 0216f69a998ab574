"""Counted places: how many there are, and how many are taken."""

from django.db import transaction

from inventory.models import AdmissionPool
from ticketing.kernel import transactions


def add(*, event_id: int, zone_id: int, name: str, capacity: int) -> int:
    """Give an event places without seats; returns the pool's id."""
    with transaction.atomic(durable=True):
        pool = AdmissionPool.objects.create(
            event_id=event_id, zone_id=zone_id, name=name, capacity=capacity
        )
    return pool.pk


def lock_and_count(*, pool_id: int) -> int:
    """How many places are held or booked, which stays so until the caller's transaction ends."""
    transactions.require()
    pool = AdmissionPool.objects.select_for_update().get(pk=pool_id)
    return pool.held + pool.booked
