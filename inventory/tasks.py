from celery import shared_task
from django.conf import settings

from inventory.services import holds


@shared_task(name="inventory.expire_holds", ignore_result=True)
def expire_holds(**_: object) -> int:
    """Tidy up lapsed holds; nobody waits for it, since a lapsed hold is free by definition."""
    return holds.expire_all(batch=settings.EXPIRY_BATCH)
