"""Counted places: how many there are, how many are taken, and how many at one fare at most."""

from django.db import transaction
from django.db.models import F, Q, Sum

from inventory.errors import CapTooLow
from inventory.models import AdmissionPool, FareCap, HoldLine, HoldState
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


def cap_fare(*, pool_id: int, fare_id: int, capacity: int) -> int:
    """Let so many places of the pool be sold at this fare, at most; returns the cap's id.

    Joins the caller's transaction. Raises CapTooLow if more are held or booked at it now.
    """
    held, booked = lock_and_count_fare(pool_id=pool_id, fare_id=fare_id)
    if held + booked > capacity:
        raise CapTooLow(held + booked)
    AdmissionPool.objects.filter(pk=pool_id).update(has_caps=True)
    cap, _ = FareCap.objects.update_or_create(
        pool_id=pool_id,
        fare_id=fare_id,
        defaults={"capacity": capacity, "held": held, "booked": booked},
    )
    return cap.pk


def lock_and_count_fare(*, pool_id: int, fare_id: int) -> tuple[int, int]:
    """How many places are held and booked at a fare; so it stays until the transaction ends.

    A hold that is being placed has written its lines, perhaps, and counts them when it gets the
    pool's lock: by then it sees the cap.
    """
    lock_and_count(pool_id=pool_id)
    sold = Q(hold__state=HoldState.CONFIRMED)
    found = HoldLine.objects.filter(pool_id=pool_id, fare_id=fare_id).aggregate(
        held=Sum("places", default=0, filter=Q(hold__state=HoldState.ACTIVE)),
        booked=Sum(F("places") - F("cancelled"), default=0, filter=sold),
    )
    return found["held"], found["booked"]
