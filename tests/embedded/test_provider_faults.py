"""Idempotency keys, planned faults, and what is left after a SIGKILL."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
import stripe

from tests.provider import DECLINED, SECRET, LocalProvider, listening, running

PRICE: Any = {"amount": 700, "currency": "eur"}
PAID: Any = {**PRICE, "payment_method": "pm_card_visa", "confirm": True}


@pytest.fixture
def key():
    return {"idempotency_key": str(uuid.uuid4())}


def intents_named(client, mark):
    found = client.v1.payment_intents.search({"query": f"metadata['mark']:'{mark}'"})
    return [intent.id for intent in found.data]


def test_the_same_key_is_answered_with_the_same_intent(provider, key):
    create = provider.client().v1.payment_intents.create

    first, second = create(PRICE, key), create(PRICE, key)

    assert first.id == second.id
    assert "idempotent-replayed" not in first.last_response.headers
    assert second.last_response.headers["idempotent-replayed"] == "true"


def test_a_decline_is_replayed(provider, key):
    client = provider.client()
    details = {"number": DECLINED, "exp_month": 12, "exp_year": 2040}
    method = client.v1.payment_methods.create({"type": "card", "card": details}).id
    wish = {**PAID, "payment_method": method}

    with pytest.raises(stripe.CardError) as first:
        client.v1.payment_intents.create(wish, key)
    with pytest.raises(stripe.CardError) as second:
        client.v1.payment_intents.create(wish, key)

    assert first.value.json_body == second.value.json_body
    assert (second.value.headers or {})["idempotent-replayed"] == "true"


def test_a_key_is_good_for_one_wish(provider, key):
    create = provider.client().v1.payment_intents.create
    create(PRICE, key)

    with pytest.raises(stripe.IdempotencyError) as error:
        create({**PRICE, "amount": 701}, key)

    assert error.value.http_status == 400


def test_a_key_in_flight_is_refused(provider, key):
    client = provider.client()
    provider.fault("slow", "POST /v1/payment_intents", seconds=2)

    def create() -> str:
        try:
            return str(client.v1.payment_intents.create(PRICE, key).id)
        except stripe.APIError as error:
            return f"{error.http_status}"

    with ThreadPoolExecutor() as both:
        answers = [future.result() for future in [both.submit(create), both.submit(create)]]

    assert "409" in answers
    assert any(str(answer).startswith("pi_") for answer in answers)


def test_a_refund_under_the_same_key_is_one_refund(provider, key):
    api = provider.client().v1
    intent = api.payment_intents.create(PAID)

    refunds = [api.refunds.create({"payment_intent": intent.id, "amount": 100}, key) for _ in "12"]

    assert refunds[0].id == refunds[1].id
    assert api.charges.retrieve(refunds[0].charge).amount_refunded == 100


@pytest.mark.parametrize(("mode", "made"), [("timeout_before", 0), ("timeout_after", 1)])
def test_a_timeout_says_nothing_about_the_effect(provider, key, mode, made):
    mark = str(uuid.uuid4())
    wish: Any = {**PAID, "metadata": {"mark": mark}}
    provider.fault(mode, "POST /v1/payment_intents")

    with pytest.raises(stripe.APIConnectionError):
        provider.client(read_timeout=0.5).v1.payment_intents.create(wish, key)

    assert len(intents_named(provider.client(), mark)) == made
    replayed = provider.client().v1.payment_intents.create(wish, key)
    assert intents_named(provider.client(), mark) == [replayed.id]


def test_a_failure_of_the_provider_is_replayed_as_failure(provider, key):
    provider.fault("500", "POST /v1/payment_intents")
    create = provider.client().v1.payment_intents.create

    for _ in range(2):
        with pytest.raises(stripe.APIError):
            create(PRICE, key)


def test_too_many_requests_are_not_remembered(provider, key):
    provider.fault("429", "POST /v1/payment_intents")
    create = provider.client().v1.payment_intents.create

    with pytest.raises(stripe.RateLimitError):
        create(PRICE, key)

    assert create(PRICE, key).id


def test_a_fault_counts_itself_down_and_meets_only_what_it_names(provider):
    provider.fault("429", "GET /v1/refunds", times=2)
    api = provider.client().v1

    api.charges.list()

    for _ in range(2):
        with pytest.raises(stripe.RateLimitError):
            api.refunds.list()
    assert api.refunds.list().object == "list"


def test_control_takes_json_only(provider):
    response = requests.post(f"{provider.base_url}/_control/fault", data={"mode": "500"}, timeout=5)

    assert response.status_code == 404


def test_an_unknown_fault_is_refused(provider):
    assert "mode is one of" in provider.control("fault", mode="earthquake")["error"]["message"]


def test_webhooks_are_signed_and_repeated_until_taken(provider, listener):
    listener.statuses[:] = [500] * 2
    intent = provider.client().v1.payment_intents.create(PRICE)

    tries = [listener.next_event("payment_intent.created") for _ in range(2)]

    assert tries[0].id == tries[1].id
    assert tries[0].data.object["id"] == intent.id


def test_a_changed_body_has_a_wrong_signature(provider, listener):
    provider.client().v1.payment_intents.create(PRICE)
    body, signature = listener.received.get(timeout=15)

    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(body + b" ", signature, SECRET)


def test_a_webhook_can_be_lost_or_doubled(provider, listener):
    provider.fault("drop_webhook", "payment_intent.created")
    provider.fault("dup_webhook", "payment_intent.succeeded")

    provider.client().v1.payment_intents.create(PAID)

    twice = [listener.next_event("payment_intent.succeeded") for _ in range(2)]
    assert twice[0].id == twice[1].id
    assert listener.pending("payment_intent.created") == 0


def test_all_is_there_after_a_sigkill(tmp_path, key):
    with running(tmp_path) as provider:
        intent = provider.client().v1.payment_intents.create(PAID, key)
        provider.fault("429", "GET /v1/refunds")
        provider.kill()

        provider.start()

        replayed = provider.client().v1.payment_intents.create(PAID, key)
        assert replayed.id == intent.id
        assert provider.client().v1.payment_intents.retrieve(intent.id).status == "succeeded"
        with pytest.raises(stripe.RateLimitError):
            provider.client().v1.refunds.list()


def test_a_webhook_owed_at_a_sigkill_is_sent_after_it(tmp_path):
    with running(tmp_path) as provider, listening() as listener:
        # Nobody listens there yet, so the first try is refused and the event stays owed.
        provider.control("webhook", url=closed_address(), secret=SECRET)
        intent = provider.client().v1.payment_intents.create(PRICE)
        provider.kill()

        provider.start()
        provider.control("webhook", url=listener.url, secret=SECRET)

        assert listener.next_event("payment_intent.created").data.object["id"] == intent.id


def test_a_kill_in_the_middle_of_requests_leaves_effect_and_answer_or_neither(tmp_path):
    with running(tmp_path) as provider:
        mark = str(uuid.uuid4())
        wish: Any = {**PAID, "metadata": {"mark": mark}}
        keys = [f"{mark}-{n}" for n in range(300)]
        killer = threading.Timer(0.3, provider.kill)
        killer.start()
        sent = send_until_it_dies(provider, wish, keys)
        killer.join()

        provider.start()
        client = provider.client()
        ids = {
            client.v1.payment_intents.create(wish, {"idempotency_key": key}).id
            for key in keys[:sent]
        }

        made = client.v1.payment_intents.list({"limit": 100}).auto_paging_iter()
        assert {intent.id for intent in made} == ids
        assert len(ids) == sent


def send_until_it_dies(provider: LocalProvider, wish, keys) -> int:
    client = provider.client()
    for sent, key in enumerate(keys, start=1):
        try:
            client.v1.payment_intents.create(wish, {"idempotency_key": key})
        except stripe.APIConnectionError:
            return sent
    return len(keys)


def closed_address() -> str:
    with listening() as nobody:
        return nobody.url


def test_the_provider_says_which_variable_is_missing(monkeypatch):
    from ticketing.embedded.provider import configuration

    monkeypatch.delenv("PROVIDER_STATE", raising=False)
    monkeypatch.delenv("PROVIDER_BASE_URL", raising=False)
    configuration.read.cache_clear()

    with pytest.raises(SystemExit, match="PROVIDER_STATE and PROVIDER_BASE_URL"):
        configuration.read()


def test_a_key_is_required(provider):
    response = requests.get(f"{provider.base_url}/v1/charges", timeout=5)

    assert response.status_code == 401
