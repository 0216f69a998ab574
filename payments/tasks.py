from celery import shared_task
from django.utils import timezone

from payments.services import reconciliation


@shared_task(name="payments.reconcile", ignore_result=True)
def reconcile(*, limit: int = 100, **_: object) -> int:
    """Ask the provider about payments that are due."""
    return sum(reconciliation.reconcile_batch(at=timezone.now(), limit=limit).values())
