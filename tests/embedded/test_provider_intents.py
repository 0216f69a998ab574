"""The local provider through the real SDK: cards, intents, captures, refunds."""

import time
from typing import Any

import pytest
import stripe

from tests.provider import DECLINED, NEEDS_3DS, NO_FUNDS


@pytest.fixture
def api(provider):
    return provider.client().v1


def card(api, number="4242424242424242"):
    details = {"number": number, "exp_month": 12, "exp_year": 2040, "cvc": "123"}
    return api.payment_methods.create({"type": "card", "card": details}).id


def paid(api, *, capture_method="automatic", **params):
    return api.payment_intents.create(
        {
            "amount": 5000,
            "currency": "eur",
            "payment_method": "pm_card_visa",
            "confirm": True,
            "capture_method": capture_method,
            **params,
        }
    )


def charge_of(api, intent):
    return api.charges.retrieve(intent.latest_charge)


def refused(error):
    """The status and code of what the provider refuses."""
    return error.value.http_status, error.value.code


@pytest.mark.parametrize("token", [True, False])
def test_a_good_card_pays_at_once(api, token):
    intent = paid(api, payment_method="pm_card_visa" if token else card(api))

    assert intent.status == "succeeded"
    assert intent.amount_received == 5000
    assert intent.livemode is False


def test_an_intent_takes_what_the_sdk_may_send(api):
    intent = api.payment_intents.create(
        {
            "amount": 5000,
            "currency": "eur",
            "automatic_payment_methods": {"enabled": True},
            "description": "Two seats",
            "receipt_email": "ada@example.org",
            "return_url": "http://shop.example/",
        }
    )

    assert intent.status == "requires_payment_method"
    assert (intent.description, intent.receipt_email) == ("Two seats", "ada@example.org")


def test_a_charge_is_expanded_on_request(api):
    assert paid(api).latest_charge.startswith("ch_")
    assert paid(api, expand=["latest_charge"]).latest_charge.object == "charge"


def test_expansion_reaches_into_lists(api):
    intent = paid(api)

    listed = api.payment_intents.list({"limit": 1, "expand": ["data.latest_charge"]})

    assert listed.data[0].latest_charge.payment_intent == intent.id


@pytest.mark.parametrize("method_at", ["create", "confirm"])
def test_an_intent_is_confirmed_later(api, method_at):
    method = {"payment_method": "pm_card_visa"}
    intent = api.payment_intents.create(
        {"amount": 5000, "currency": "eur", **(method if method_at == "create" else {})}
    )

    confirmed = api.payment_intents.confirm(intent.id, method if method_at == "confirm" else {})

    assert confirmed.status == "succeeded"


def test_manual_capture_reserves_first(api):
    intent = paid(api, capture_method="manual")
    assert (intent.status, intent.amount_capturable, intent.amount_received) == (
        "requires_capture",
        5000,
        0,
    )

    captured = api.payment_intents.capture(intent.id)

    assert (captured.status, captured.amount_received) == ("succeeded", 5000)
    assert charge_of(api, captured).captured is True


def test_a_part_can_be_captured(api):
    intent = paid(api, capture_method="manual")

    captured = api.payment_intents.capture(intent.id, {"amount_to_capture": 1000})

    assert captured.amount_received == 1000


def test_more_than_reserved_is_not_captured(api):
    intent = paid(api, capture_method="manual")

    with pytest.raises(stripe.InvalidRequestError) as error:
        api.payment_intents.capture(intent.id, {"amount_to_capture": 5001})

    assert refused(error) == (400, "amount_too_large")


@pytest.mark.parametrize("before", ["capture", "cancel"])
def test_what_is_over_is_not_captured_again(api, before):
    intent = paid(api, capture_method="manual")
    getattr(api.payment_intents, before)(intent.id)

    with pytest.raises(stripe.InvalidRequestError) as error:
        api.payment_intents.capture(intent.id)

    assert refused(error) == (400, "payment_intent_unexpected_state")


@pytest.mark.parametrize("reason", [{}, {"cancellation_reason": "abandoned"}])
def test_cancelling_gives_the_reserved_amount_back(api, reason):
    intent = paid(api, capture_method="manual")

    canceled = api.payment_intents.cancel(intent.id, reason)

    assert canceled.status == "canceled"
    assert canceled.cancellation_reason == reason.get("cancellation_reason")
    charge = charge_of(api, canceled)
    assert (charge.refunded, charge.captured) == (True, False)


def test_a_paid_intent_is_not_cancelled(api):
    intent = paid(api)

    with pytest.raises(stripe.InvalidRequestError) as error:
        api.payment_intents.cancel(intent.id)

    assert refused(error) == (400, "payment_intent_unexpected_state")


def test_metadata_is_kept_changed_and_searched(api):
    mark = f"o{time.time_ns()}"
    intent = paid(api, metadata={"order": mark})

    api.payment_intents.update(intent.id, {"metadata": {"note": "x"}})

    found = api.payment_intents.search({"query": f"metadata['order']:'{mark}'"})
    assert [i.id for i in found.data] == [intent.id]
    assert found.data[0].metadata.to_dict() == {"order": mark, "note": "x"}


def test_lists_have_cursors_and_a_since(api):
    intents = [paid(api).id for _ in range(3)][::-1]

    first = api.payment_intents.list({"limit": 2})
    rest = api.payment_intents.list({"limit": 1, "starting_after": first.data[-1].id})
    back = api.payment_intents.list({"limit": 2, "ending_before": rest.data[0].id})

    assert [i.id for i in [*first.data, *rest.data]] == intents
    assert first.has_more is True
    assert [i.id for i in back.data] == intents[:2]
    assert api.payment_intents.list({"created": {"gte": int(time.time()) + 100}}).data == []
    assert api.payment_intents.list({"created": {"gte": int(time.time()) - 100}}).data


def test_what_does_not_exist_is_missing(api):
    with pytest.raises(stripe.InvalidRequestError) as error:
        api.payment_intents.retrieve("pi_nope")

    assert refused(error) == (404, "resource_missing")


@pytest.mark.parametrize(
    ("number", "decline_code"), [(DECLINED, "generic_decline"), (NO_FUNDS, "insufficient_funds")]
)
def test_a_declined_card_says_why_and_leaves_the_intent_open(api, number, decline_code):
    with pytest.raises(stripe.CardError) as error:
        paid(api, payment_method=card(api, number))

    assert refused(error) == (402, "card_declined")
    said: Any = error.value.error
    assert said.decline_code == decline_code
    intent = api.payment_intents.retrieve(said.payment_intent.id)
    assert intent.status == "requires_payment_method"
    assert intent.last_payment_error.decline_code == decline_code
    assert charge_of(api, intent).status == "failed"
    assert api.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"}).status == (
        "succeeded"
    )


@pytest.mark.parametrize("number", [NEEDS_3DS, "4000000000003220"])
def test_a_card_may_ask_for_authentication(api, provider, number):
    intent = paid(api, payment_method=card(api, number))
    assert intent.status == "requires_action"
    assert intent.next_action.redirect_to_url.url == f"{provider.base_url}/_3ds/{intent.id}"

    provider.control("authenticate", id=intent.id)

    assert api.payment_intents.retrieve(intent.id).status == "succeeded"


def test_failed_authentication_takes_no_money(api, provider):
    intent = paid(api, payment_method=card(api, NEEDS_3DS))

    provider.control("authenticate", id=intent.id, proved=False)

    failed = api.payment_intents.retrieve(intent.id)
    assert failed.status == "requires_payment_method"
    assert failed.last_payment_error.code == "payment_intent_authentication_failure"


def test_an_authorization_does_not_last_for_ever(api, provider):
    intent = paid(api, capture_method="manual")

    provider.control("expire_auth", id=intent.id)

    expired = api.payment_intents.retrieve(intent.id)
    assert (expired.status, expired.cancellation_reason) == ("canceled", "expired")
    assert charge_of(api, expired).refunded is True


def test_a_refund_is_whole_unless_it_names_an_amount(api):
    intent = paid(api)

    refund = api.refunds.create({"payment_intent": intent.id})

    assert (refund.status, refund.amount) == ("succeeded", 5000)
    charge = api.charges.retrieve(refund.charge)
    assert (charge.refunded, charge.amount_refunded) == (True, 5000)
    with pytest.raises(stripe.InvalidRequestError) as error:
        api.refunds.create({"payment_intent": intent.id})
    assert refused(error) == (400, "charge_already_refunded")


def test_parts_are_refunded_up_to_the_whole(api):
    intent = paid(api)
    wish = {"payment_intent": intent.id, "amount": 3000, "reason": "requested_by_customer"}

    first = api.refunds.create(wish)

    with pytest.raises(stripe.InvalidRequestError) as error:
        api.refunds.create(wish)
    assert refused(error) == (400, "amount_too_large")
    assert [r.id for r in api.refunds.list({"payment_intent": intent.id}).data] == [first.id]


def test_what_is_only_reserved_is_not_refunded(api):
    intent = paid(api, capture_method="manual")

    with pytest.raises(stripe.InvalidRequestError) as error:
        api.refunds.create({"payment_intent": intent.id})

    assert refused(error) == (400, "charge_not_captured")


def test_customers_have_names_of_all_scripts(api):
    assert api.customers.create({"email": "a@b.c", "name": "张伟 😀"}).name == "张伟 😀"


def test_the_event_log_is_listed_by_type(api):
    intent = paid(api)

    latest = api.events.list({"limit": 1, "type": "payment_intent.succeeded"}).data[0]
    either = api.events.list({"limit": 1, "types": ["payment_intent.succeeded"]}).data[0]

    assert latest.data.object["id"] == intent.id
    assert either.id == latest.id
    assert latest.api_version == stripe.api_version


@pytest.mark.parametrize("params", [{"currency": "eur"}, {"amount": 0, "currency": "eur"}])
def test_a_broken_request_is_refused(api, params):
    with pytest.raises(stripe.InvalidRequestError) as error:
        api.payment_intents.create(params)

    assert error.value.param == "amount"


@pytest.mark.parametrize("key", ["sk_live_0", "nonsense"])
def test_only_test_keys_are_taken(provider, key):
    client = stripe.StripeClient(key, base_addresses={"api": provider.base_url})

    with pytest.raises((stripe.AuthenticationError, stripe.PermissionError)):
        client.v1.payment_intents.list()
