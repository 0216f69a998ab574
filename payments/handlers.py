"""What payments does when a fact is told."""

from payments.services import events
from ticketing.kernel import outbox
from ticketing.kernel.outbox import Fact


@outbox.handler("payments.provider_event_received", slow=True)
def process_provider_event(fact: Fact) -> None:
    """Ask the provider about the payment that a webhook names.

    An event of a payment that we do not know yet waits for reconciliation.
    """
    events.process(provider_event_id=fact.payload["provider_event_id"])
