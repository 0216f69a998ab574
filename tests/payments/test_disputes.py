"""What a payer disputes at the bank is kept and told, in whatever order it is heard."""

import pytest

from payments.models import Dispute, DisputeState, Movement, MovementKind, Payment, PaymentState
from payments.services import charges, events
from tests.payments.conftest import PRICE, begin_and_pay, relay, view
from ticketing.embedded.provider.disputes import FEE
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def paid(provider, reference):
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)
    return Payment.objects.get(reference=reference)


@pytest.fixture
def hear(listener):
    """Receive the next event of this type, as the webhook would, and do what it asks for."""

    def hear(kind):
        events.receive(provider="stripe", event=listener.next_event(kind).to_dict())
        relay()

    return hear


def moved(payment):
    rows = Movement.objects.filter(payment=payment, kind=MovementKind.DISPUTE).order_by("pk")
    return list(rows.values_list("amount_minor", flat=True))


def dispute_fees(payment):
    return Movement.objects.filter(payment=payment, kind="fee", amount_minor=-FEE).count()


def test_a_dispute_is_kept_and_its_money_is_in_the_ledger(provider, paid, hear):
    provider.control("dispute", id=paid.provider_intent, reason="fraudulent")

    hear("charge.dispute.created")

    [dispute] = Dispute.objects.filter(payment=paid)
    assert (dispute.state, dispute.reason) == (DisputeState.OPEN, "fraudulent")
    assert moved(paid) == [-9100]
    assert dispute_fees(paid) == 1
    # What was sold stays sold until staff decide.
    assert view(paid.reference).state == PaymentState.CAPTURED
    assert view(paid.reference).captured == PRICE
    assert list(audit.run()) == []


@pytest.mark.parametrize("won", [True, False])
def test_a_dispute_ends_once_and_what_is_won_comes_back(provider, paid, hear, won):
    made = provider.control("dispute", id=paid.provider_intent)["dispute"]
    provider.control("close_dispute", id=made, won=won)

    # The last word may be the first that is heard.
    hear("charge.dispute.closed")
    charges.refresh(reference=paid.reference)

    state = Dispute.objects.get(payment=paid).state
    assert state == (DisputeState.WON if won else DisputeState.LOST)
    assert moved(paid) == ([-9100, 9100] if won else [-9100])
    assert dispute_fees(paid) == 1
    assert list(audit.run()) == []


def test_a_part_may_be_disputed(provider, paid):
    provider.control("dispute", id=paid.provider_intent, amount=100)

    charges.refresh(reference=paid.reference)

    assert moved(paid) == [-100]


def test_a_payment_that_was_given_back_and_is_disputed_stays_given_back(provider, paid):
    charges.void(reference=paid.reference)
    provider.control("dispute", id=paid.provider_intent)

    charges.refresh(reference=paid.reference)

    assert view(paid.reference).is_over
    assert Dispute.objects.get(payment=paid).state == DisputeState.OPEN
