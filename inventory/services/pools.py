"""Counted places: how many there are."""

from django.db import transaction
from django.db.models import F

from inventory.errors import CapacityTooSmall
from inventory.models import AdmissionPool


def add(*, event_id: int, zone_id: int, name: str, capacity: int) -> int:
    """Give an event places without seats; returns the pool's id."""
    with transaction.atomic(durable=True):
        pool = AdmissionPool.objects.create(
            event_id=event_id, zone_id=zone_id, name=name, capacity=capacity
        )
    return pool.pk


def resize(*, pool_id: int, capacity: int) -> None:
    """Set how many places there are. Raises CapacityTooSmall below what is held and booked."""
    with transaction.atomic(durable=True):
        taken = F("held") + F("booked")
        if not (
            AdmissionPool.objects.alias(taken=taken)
            .filter(pk=pool_id, taken__lte=capacity)
            .update(capacity=capacity)
        ):
            pool = AdmissionPool.objects.get(pk=pool_id)
            raise CapacityTooSmall(taken=pool.held + pool.booked)
