from contextlib import suppress

from celery import shared_task
from django.conf import settings

from inventory import gate, selectors
from inventory.services import holds


@shared_task(name="inventory.expire_holds", ignore_result=True)
def expire_holds(**_: object) -> int:
    """Tidy up lapsed holds; nobody waits for it, since a lapsed hold is free by definition."""
    return holds.expire_all(batch=settings.EXPIRY_BATCH)


@shared_task(name="inventory.rebuild_gates", ignore_result=True)
def rebuild_gates(**_: object) -> None:
    """Make the gates that were switched off or lost, or not looked at for a while, right again."""
    for event_id in selectors.selling_events():
        with suppress(gate.Silent):
            if gate.needs_rebuild(event_id):
                gate.rebuild(event_id)
