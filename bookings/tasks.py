from celery import shared_task
from django.utils import timezone

from bookings.services import calling_off, paying


@shared_task(name="bookings.sweep", ignore_result=True)
def sweep(*, limit: int = 500, **_: object) -> int:
    """Settle pending bookings that nobody came back to."""
    return paying.sweep(limit=limit)


@shared_task(name="bookings.call_off", ignore_result=True)
def call_off(*, limit: int = 200, **_: object) -> int:
    """Cancel what is still sold of events that were cancelled."""
    return calling_off.cancel_batch(at=timezone.now(), limit=limit)
