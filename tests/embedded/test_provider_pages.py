"""Checkout sessions, and the pages where a person pays: forms and links, no script."""

import re
import time

import pytest
import requests
import stripe

from tests.provider import DECLINED, NEEDS_3DS, NO_FUNDS

SUCCESS = "http://shop.example/back/{CHECKOUT_SESSION_ID}"


@pytest.fixture
def api(provider):
    return provider.client().v1


def open_session(api, **params):
    price = {"currency": "eur", "unit_amount": 4550, "product_data": {"name": "Row <3>, Seat 7"}}
    return api.checkout.sessions.create(
        {
            "mode": "payment",
            "client_reference_id": "b-17",
            "success_url": SUCCESS,
            "cancel_url": "http://shop.example/seats",
            "line_items": [{"quantity": 2, "price_data": price}],
            "payment_intent_data": {"capture_method": "manual", "metadata": {"reference": "b-17"}},
            **params,
        }
    )


def submit(url, **form):
    return requests.post(url, data=form, timeout=10, allow_redirects=False)


def page(url):
    return requests.get(url, timeout=10, allow_redirects=False)


def test_a_session_is_paid_on_its_page(api):
    session = open_session(api)
    shown = page(session.url)
    assert "no money moves" in shown.text
    assert "€91.00" in shown.text
    assert "Row &lt;3&gt;, Seat 7" in shown.text
    assert 'href="http://shop.example/seats"' in shown.text
    assert "<script" not in shown.text

    answer = submit(session.url, card="4242424242424242")

    assert answer.status_code == 303
    assert answer.headers["location"] == f"http://shop.example/back/{session.id}"
    paid = api.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert (paid.status, paid.payment_status) == ("complete", "unpaid")
    assert paid.payment_intent.status == "requires_capture"
    assert paid.payment_intent.amount == 9100
    assert paid.payment_intent.metadata["reference"] == "b-17"


def test_a_second_click_joins_the_first(api):
    session = open_session(api)

    answers = [submit(session.url, card="4242424242424242") for _ in range(2)]

    assert answers[0].headers["location"] == answers[1].headers["location"]
    intent = api.checkout.sessions.retrieve(session.id).payment_intent
    assert len(api.charges.list({"payment_intent": intent}).data) == 1
    assert "This is paid already" in page(session.url).text


@pytest.mark.parametrize(
    ("number", "why"), [(DECLINED, "was declined"), (NO_FUNDS, "insufficient funds")]
)
def test_a_decline_is_said_on_the_page_and_another_card_may_be_tried(api, number, why):
    session = open_session(api)

    answer = submit(session.url, card=number)

    assert answer.status_code == 402
    assert re.search(f'role="alert">[^<]*{why}', answer.text)
    assert re.search(f'role="alert">[^<]*{why}', page(session.url).text)
    assert submit(session.url, card="4242424242424242").status_code == 303
    assert api.checkout.sessions.retrieve(session.id).status == "complete"


def test_a_typed_number_wins_over_the_choice(api):
    session = open_session(api)

    answer = submit(session.url, card="4242424242424242", number="4000 0000 0000 0069")

    assert "Your card has expired" in answer.text


def test_a_real_card_number_is_not_taken(api):
    session = open_session(api)

    answer = submit(session.url, number="4111 1111 1111 1111")

    assert "Never type a real card number here" in answer.text


def test_3d_secure_is_a_page_of_its_own(api):
    session = open_session(api)
    challenge = submit(session.url, card=NEEDS_3DS).headers["location"]
    assert "Complete authentication" in page(challenge).text

    answer = submit(challenge, outcome="complete")

    assert answer.headers["location"] == f"http://shop.example/back/{session.id}"
    assert api.checkout.sessions.retrieve(session.id).status == "complete"


def test_failed_3d_secure_leads_back_to_the_cards(api):
    session = open_session(api)
    challenge = submit(session.url, card=NEEDS_3DS).headers["location"]

    answer = submit(challenge, outcome="fail")

    assert answer.headers["location"] == session.url
    assert "could not authenticate your card" in page(session.url).text
    assert submit(session.url, card="4242424242424242").status_code == 303


def test_an_expired_session_takes_no_money(api):
    session = open_session(api)
    submit(session.url, card=NEEDS_3DS)

    expired = api.checkout.sessions.expire(session.id)

    assert expired.status == "expired"
    assert "The time to pay is over" in page(session.url).text
    assert "The time to pay is over" in submit(session.url, card="4242424242424242").text
    intent = api.payment_intents.retrieve(expired.payment_intent)
    assert (intent.status, intent.amount_received) == ("canceled", 0)


def test_an_answer_to_3d_secure_after_expiry_takes_no_money(api):
    session = open_session(api)
    challenge = submit(session.url, card=NEEDS_3DS).headers["location"]
    expired = api.checkout.sessions.expire(session.id)

    submit(challenge, outcome="complete")

    assert api.payment_intents.retrieve(expired.payment_intent).status == "canceled"


@pytest.mark.parametrize("how", ["paid", "expired"])
def test_only_an_open_session_is_expired(api, how):
    session = open_session(api)
    if how == "paid":
        submit(session.url, card="4242424242424242")
    else:
        api.checkout.sessions.expire(session.id)

    with pytest.raises(stripe.InvalidRequestError, match=r'status in \["open"\]'):
        api.checkout.sessions.expire(session.id)


@pytest.mark.parametrize("minutes", [29, 24 * 60 + 5])
def test_a_session_lives_between_half_an_hour_and_a_day(api, minutes):
    with pytest.raises(stripe.InvalidRequestError) as error:
        open_session(api, expires_at=int(time.time()) + minutes * 60)

    assert error.value.param == "expires_at"


def test_sessions_are_listed(api):
    session = open_session(api)

    assert api.checkout.sessions.list({"limit": 1}).data[0].id == session.id


def test_a_method_that_captures_at_once_can_be_played(api, provider):
    session = open_session(api)

    provider.pay(session.id, capture_at_once=True)

    paid = api.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert (paid.payment_status, paid.payment_intent.status) == ("paid", "succeeded")


def test_an_unknown_page_says_so(provider):
    assert page(f"{provider.base_url}/_checkout/cs_nope").status_code == 404
