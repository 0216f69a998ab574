from celery import shared_task

from ticketing.kernel import outbox


@shared_task(name="kernel.run_handler", ignore_result=True)
def run_handler(*, message_id: int, handler: str, **_: object) -> None:
    """Run one slow handler of one fact."""
    outbox.run_slow(message_id=message_id, handler_name=handler)


def dispatch(message_id: int, handler: str) -> None:
    """Send a slow handler to a worker; if the message is lost, the relay sends it again."""
    run_handler.delay(message_id=message_id, handler=handler)
