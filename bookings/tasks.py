from celery import shared_task

from bookings.services import paying


@shared_task(name="bookings.sweep", ignore_result=True)
def sweep(*, limit: int = 500, **_: object) -> int:
    """Settle pending bookings that nobody came back to."""
    return paying.sweep(limit=limit)
