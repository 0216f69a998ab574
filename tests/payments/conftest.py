"""A provider of its own process, a payment to begin, and the relay run to its end."""

import itertools
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from payments import selectors, stripe
from payments.models import Payment
from payments.services import calls, charges, reconciliation
from tests.provider import LocalProvider
from ticketing.kernel import outbox
from ticketing.kernel.models import OutboxMessage
from ticketing.kernel.money import Money

PRICE = Money(9100, "EUR")
_numbers = itertools.count(1)


@pytest.fixture
def provider(provider: LocalProvider, settings) -> LocalProvider:
    """The same, and the adapter talks to it."""
    settings.STRIPE_API_BASE = provider.base_url
    return provider


@pytest.fixture
def hurried(monkeypatch):
    """Give up on the provider at once, so that a test of its silence is short."""
    monkeypatch.setattr(stripe, "READ_SECONDS", 0.5)
    monkeypatch.setattr(calls, "PATIENCE", timedelta())
    stripe._client.cache_clear()
    yield
    stripe._client.cache_clear()


@pytest.fixture
def reference() -> str:
    """A reference that no other test of this run has used: the provider remembers them all."""
    return f"b{timezone.now():%H%M%S%f}-{next(_numbers)}"


def begin(
    reference: str,
    amount: Money = PRICE,
    *,
    minutes: float = 10,
    deadline_at: datetime | None = None,
) -> charges.Started:
    return charges.begin(
        reference=reference,
        amount=amount,
        description="Two seats",
        success_url="http://shop.example/done/{CHECKOUT_SESSION_ID}",
        cancel_url="http://shop.example/seats",
        deadline_at=deadline_at or timezone.now() + timedelta(minutes=minutes),
        email="ada@example.org",
    )


def view(reference: str) -> selectors.PaymentView:
    """The payment as the floors above see it."""
    found = selectors.payment(reference)
    assert found is not None
    return found


def session_of(reference: str) -> str:
    return Payment.objects.get(reference=reference).provider_session


def begin_and_pay(provider: LocalProvider, reference: str, **how) -> None:
    """A payment that was paid on the provider's page, of which we have not heard yet."""
    begin(reference)
    provider.pay(session_of(reference), **how)


def reconcile(*, later: float = 0):
    """Ask about everything that is not at rest, `later` minutes from now."""
    at = timezone.now() + timedelta(minutes=later)
    reconciliation.hasten(at=at)
    return reconciliation.reconcile_batch(at=at, limit=100)


def relay() -> None:
    """Tell every fact, and run what it asks for here and now."""
    while outbox.relay(limit=100, dispatch=outbox.run_here):
        pass


def facts(reference: str) -> list[str]:
    """What was told about this payment, in order."""
    about = OutboxMessage.objects.filter(payload__reference=reference).order_by("pk")
    return [topic.removeprefix("payments.") for topic in about.values_list("topic", flat=True)]


def money_at(provider: LocalProvider, reference: str) -> tuple[int, int, int]:
    """How many charges of this payment succeeded, and what was captured and given back."""
    api = provider.client().v1
    found = api.payment_intents.search({"query": f"metadata['reference']:'{reference}'"})
    charges_made = [
        charge
        for intent in found.data
        for charge in api.charges.list({"payment_intent": intent.id}).data
        if charge.paid
    ]
    captured = sum(charge.amount_captured for charge in charges_made)
    refunded = sum(charge.amount_refunded for charge in charges_made if charge.captured)
    return len(charges_made), captured, refunded
