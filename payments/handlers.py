"""What payments does when a fact is told."""

from payments.services import events, refunds
from ticketing.kernel import outbox
from ticketing.kernel.outbox import Fact


@outbox.handler("payments.provider_event_received", slow=True)
def process_provider_event(fact: Fact) -> None:
    """Ask the provider about the payment that a webhook names.

    An event of a payment that we do not know yet waits for reconciliation.
    """
    events.process(provider_event_id=fact.payload["provider_event_id"])


@outbox.handler("payments.refund_requested", slow=True)
def pay_out(fact: Fact) -> None:
    """Give the money back; whatever is not answered today, reconciliation goes on asking about."""
    refunds.pay_out(payment_reference=fact.payload["reference"])
