import time
from collections.abc import Sequence

from celery import shared_task

from ticketing.kernel import outbox


@shared_task(name="kernel.run_handlers", ignore_result=True)
def run_handlers(*, message_ids: Sequence[int], handler: str, **_: object) -> None:
    """Run one slow handler of some facts, one after the other.

    Whatever has not begun when half of the lease is over is left for the relay to tell again.
    """
    ends = time.monotonic() + outbox.LEASE.total_seconds() / 2
    for message_id in message_ids:
        if time.monotonic() >= ends:
            return
        outbox.run_slow(message_id=message_id, handler_name=handler)


def dispatch(message_ids: Sequence[int], handler: str) -> None:
    """Send a slow handler to a worker; if the message is lost, the relay sends it again."""
    run_handlers.delay(message_ids=list(message_ids), handler=handler)
