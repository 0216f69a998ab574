from contextlib import suppress
from datetime import timedelta

from celery import shared_task
from django.conf import settings

from inventory import gate, metrics, selectors, sweeping
from inventory.services import holds

# About the time between two sweeps, so that they never pile up.
ONE_SWEEP = timedelta(seconds=1)


@shared_task(name="inventory.expire_holds", ignore_result=True)
def expire_holds(**_: object) -> int:
    """Tidy up lapsed holds; nobody waits for it, since a lapsed hold is free by definition.

    For a moment only: the next sweep, here or in another worker, goes on.
    """
    with metrics.SWEEP_SECONDS.time():
        ended = holds.expire_all(batch=settings.EXPIRY_BATCH, within=ONE_SWEEP)
    sweeping.note()
    return ended


@shared_task(name="inventory.rebuild_gates", ignore_result=True)
def rebuild_gates(**_: object) -> None:
    """Make the gates that were switched off or lost, or not looked at for a while, right again."""
    for event_id in selectors.selling_events():
        with suppress(gate.Silent):
            if gate.needs_rebuild(event_id):
                gate.rebuild(event_id)
