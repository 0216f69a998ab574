"""The webhook: what is signed is stored once and leads us to ask; nothing else is believed."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from payments.models import EventState, Payment, PaymentState, ProviderEvent
from payments.services import charges, events, progress
from tests.payments.conftest import begin, begin_and_pay, facts, money_at, reconcile, relay, view
from tests.payments.conftest import session_of as session_of_payment
from tests.provider import SECRET
from ticketing.embedded.provider.webhooks import signature
from ticketing.kernel.models import OutboxMessage

pytestmark = pytest.mark.django_db(transaction=True)


def event(kind="payment_intent.succeeded", *, number=1, **thing):
    thing = {"object": "payment_intent", "id": "pi_1", "metadata": {}, **thing}
    return {"id": f"evt_{number}", "object": "event", "type": kind, "data": {"object": thing}}


def deliver(told, *, secret=SECRET, age=0, changed=b"", header=None):
    body = json.dumps(told).encode()
    signed = signature(body, secret, int(time.time()) - age)
    return Client().post(
        reverse("payments:webhook"),
        body + changed,
        content_type="application/json",
        headers={"Stripe-Signature": signed if header is None else header},
    )


def events_of(provider, reference):
    """All that the provider's log says about a payment, in order."""
    log = provider.client().v1.events.list({"limit": 100}).data
    names = {Payment.objects.get(reference=reference).provider_session, reference}
    told = [e.to_dict() for e in reversed(log)]
    return [
        e
        for e in told
        if names & {e["data"]["object"]["id"], e["data"]["object"]["metadata"].get("reference")}
    ]


def test_a_signed_event_is_stored_before_anything_is_done():
    assert deliver(event(metadata={"reference": "b1"})).status_code == 200

    stored = ProviderEvent.objects.get()
    assert (stored.state, stored.kind) == (EventState.RECEIVED, "payment_intent.succeeded")
    assert (stored.reference, stored.provider_intent) == ("b1", "pi_1")


@pytest.mark.parametrize(
    "how",
    [
        {"secret": "whsec_of_somebody_else"},
        {"age": 301},
        {"changed": b" "},
        {"header": ""},
        {"header": "t=1,v1=00"},
        {"header": "nonsense"},
    ],
    ids=["another secret", "too old", "changed", "unsigned", "forged", "nonsense"],
)
def test_what_is_not_signed_just_now_is_refused(how):
    assert deliver(event(), **how).status_code == 400
    assert not ProviderEvent.objects.exists()


def test_nothing_is_believed_without_a_secret(settings):
    settings.STRIPE_WEBHOOK_SECRET = []

    assert deliver(event(), secret="").status_code == 400
    assert not ProviderEvent.objects.exists()


def test_two_secrets_are_good_while_one_replaces_the_other(settings):
    settings.STRIPE_WEBHOOK_SECRET = ["whsec_new", "whsec_old"]

    answers = [deliver(event(number=n), secret=s) for n, s in enumerate(["whsec_new", "whsec_old"])]

    assert [answer.status_code for answer in answers] == [200, 200]


def test_an_endless_body_is_not_read(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    assert deliver(event(description="x" * 1000)).status_code == 400
    assert not ProviderEvent.objects.exists()


def test_only_post_is_answered(client):
    assert client.get(reverse("payments:webhook")).status_code == 405


def test_an_event_of_no_interest_is_stored_and_left():
    deliver(event("account.updated"))

    assert ProviderEvent.objects.get().state == EventState.IGNORED
    assert not OutboxMessage.objects.exists()


@pytest.fixture
def asked(monkeypatch):
    """How often the provider is asked about a payment because of an event."""
    calls = []
    advance = progress.advance

    def count(**which):
        calls.append(which)
        return advance(**which)

    monkeypatch.setattr(progress, "advance", count)
    return calls


def test_what_an_event_tells_that_is_known_is_not_asked_about(provider, reference, asked):
    begin_and_pay(provider, reference)
    told = events_of(provider, reference)
    charges.refresh(reference=reference)
    asked.clear()

    for each in told:
        deliver(each)
    relay()

    assert asked == []
    assert view(reference).state == PaymentState.AUTHORIZED
    assert not ProviderEvent.objects.filter(state=EventState.RECEIVED).exists()


def test_an_event_about_another_intent_of_the_payment_is_asked_about(provider, reference, asked):
    """Whoever managed to pay twice is not overlooked because his first payment is in order."""
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    asked.clear()

    deliver(event("payment_intent.amount_capturable_updated", metadata={"reference": reference}))
    relay()

    assert len(asked) == 1


def test_a_webhook_brings_the_payment_up_to_date(provider, reference):
    begin_and_pay(provider, reference)

    for told in events_of(provider, reference):
        deliver(told)
    relay()

    assert view(reference).state == PaymentState.AUTHORIZED
    assert facts(reference) == ["payment_authorized"]
    assert not ProviderEvent.objects.filter(state=EventState.RECEIVED).exists()


def test_the_words_of_a_webhook_are_not_believed(provider, reference):
    begin(reference)

    deliver(event(status="succeeded", amount_received=9100, metadata={"reference": reference}))
    relay()

    assert view(reference).state == PaymentState.PENDING


def test_ten_deliveries_at_once_beside_the_return_page_are_one_move(provider, reference):
    begin_and_pay(provider, reference)
    told = events_of(provider, reference)[-1]

    def hear(number):
        try:
            if number % 5 == 0:
                charges.refresh(reference=reference)
            return deliver(told).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        statuses = list(threads.map(hear, range(10)))
    relay()

    assert set(statuses) == {200}
    assert ProviderEvent.objects.count() == 1
    assert facts(reference) == ["payment_authorized"]
    assert money_at(provider, reference) == (1, 0, 0)


def test_an_event_that_comes_before_its_payment_is_kept_for_it(provider, reference):
    begin_and_pay(provider, reference)
    told = events_of(provider, reference)[-1]
    deadline_at = Payment.objects.get(reference=reference).deadline_at
    early = Payment.objects.get(reference=reference)
    early.calls.all().delete()
    early.delete()
    deliver(told)
    relay()
    assert ProviderEvent.objects.get().state == EventState.RECEIVED

    # Its key is known to the provider, which wants to hear the same wish again.
    begin(reference, deadline_at=deadline_at)
    reconcile(later=1)

    assert ProviderEvent.objects.get().state == EventState.PROCESSED
    assert view(reference).state == PaymentState.AUTHORIZED


def test_processing_that_failed_half_way_is_done_again(provider, reference, monkeypatch):
    begin_and_pay(provider, reference)
    deliver(events_of(provider, reference)[-1])
    stored = ProviderEvent.objects.get()
    with monkeypatch.context() as broken:
        broken.setattr(events, "_handled", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            events.process(provider_event_id=stored.pk)

    events.process(provider_event_id=stored.pk)

    assert ProviderEvent.objects.get().state == EventState.PROCESSED
    assert facts(reference) == ["payment_authorized"]


def test_a_refund_made_at_the_provider_is_taken_in(provider, reference):
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)
    intent = Payment.objects.get(reference=reference).provider_intent
    provider.client().v1.refunds.create({"payment_intent": intent, "amount": 100})

    deliver(events_of(provider, reference)[-1])
    relay()

    assert view(reference).refunded.minor == 100


def test_real_deliveries_reach_a_real_server(provider, reference, live_server):
    address = f"{live_server.url}{reverse('payments:webhook')}"
    provider.control("webhook", url=address, secret=SECRET)
    begin_and_pay(provider, reference)

    wait_for_event("checkout.session.completed", session_of_payment(reference))
    relay()

    assert view(reference).state == PaymentState.AUTHORIZED


def wait_for_event(kind, session):
    deadline = time.monotonic() + 15
    while not ProviderEvent.objects.filter(kind=kind, provider_session=session).exists():
        assert time.monotonic() < deadline, f"{kind} was not delivered"
        time.sleep(0.05)
