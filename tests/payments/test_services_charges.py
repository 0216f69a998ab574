import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from payments import selectors
from payments.errors import AnotherAmount, OutcomeUnknown, ProviderRejected, UnknownPayment
from payments.models import CallKind, CallState, Payment, PaymentState, ProviderCall, Refund
from payments.services import charges
from tests.payments.conftest import (
    PRICE,
    begin,
    begin_and_pay,
    facts,
    money_at,
    reconcile,
    session_of,
    view,
)
from tests.provider import DECLINED, NEEDS_3DS
from ticketing.kernel.money import Money
from ticketing.kernel.transactions import TransactionError

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(number, action):
    """Do the same from several threads, each with a connection of its own."""

    def run(_):
        try:
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(run, range(number)))


def sessions_of(provider, reference):
    listed = provider.client().v1.checkout.sessions.list({"limit": 100})
    return [s.id for s in listed.data if s.client_reference_id == reference]


def test_a_payment_leads_to_the_page_of_the_provider(provider, reference):
    started = begin(reference)

    assert started.state == PaymentState.PENDING
    assert started.checkout_url == f"{provider.base_url}/_checkout/{session_of(reference)}"
    assert view(reference).checkout_url == started.checkout_url
    assert not view(reference).is_over
    assert not view(reference).is_paid


def test_asking_again_joins_the_first(provider, reference):
    first, second = begin(reference), begin(reference)

    assert first == second
    assert len(sessions_of(provider, reference)) == 1


def test_five_clicks_at_once_are_one_payment(provider, reference):
    started = at_once(5, lambda: begin(reference))

    assert len({s.checkout_url for s in started}) == 1
    assert started[0].checkout_url
    assert len(sessions_of(provider, reference)) == 1


def test_a_reference_names_one_amount(provider, reference):
    begin(reference)

    with pytest.raises(AnotherAmount):
        begin(reference, Money(9101, "EUR"))


def test_money_is_reserved_then_taken(provider, reference):
    begin_and_pay(provider, reference)

    assert charges.refresh(reference=reference) == PaymentState.AUTHORIZED
    assert view(reference).is_paid
    assert money_at(provider, reference) == (1, 0, 0)
    assert charges.capture(reference=reference) == PaymentState.CAPTURED

    assert view(reference).captured == PRICE
    assert money_at(provider, reference) == (1, 9100, 0)
    assert facts(reference) == ["payment_authorized", "payment_captured"]


def test_capturing_again_takes_nothing(provider, reference):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)

    states = at_once(4, lambda: charges.capture(reference=reference))

    assert set(states) == {PaymentState.CAPTURED}
    assert money_at(provider, reference) == (1, 9100, 0)
    assert facts(reference).count("payment_captured") == 1


def test_capture_learns_by_itself_that_it_was_paid(provider, reference):
    begin_and_pay(provider, reference)

    assert charges.capture(reference=reference) == PaymentState.CAPTURED


def test_a_method_that_captures_at_once_is_taken_as_it_is(provider, reference):
    begin_and_pay(provider, reference, capture_at_once=True)

    assert charges.refresh(reference=reference) == PaymentState.CAPTURED
    assert charges.capture(reference=reference) == PaymentState.CAPTURED
    assert facts(reference) == ["payment_captured"]


def test_a_declined_card_leaves_the_payment_open_for_another(provider, reference):
    begin_and_pay(provider, reference, card=DECLINED)
    assert charges.refresh(reference=reference) == PaymentState.PENDING
    assert view(reference).last_problem == "Your card was declined."
    assert facts(reference) == []

    provider.pay(session_of(reference))

    assert charges.refresh(reference=reference) == PaymentState.AUTHORIZED
    assert view(reference).last_problem == ""


def test_a_card_that_authenticates_pays_only_then(provider, reference):
    begin_and_pay(provider, reference, card=NEEDS_3DS)
    assert charges.refresh(reference=reference) == PaymentState.PENDING

    provider.control("authenticate", id=Payment.objects.get(reference=reference).provider_intent)

    assert charges.refresh(reference=reference) == PaymentState.AUTHORIZED


def test_a_session_that_ends_after_a_decline_is_declined(provider, reference):
    begin_and_pay(provider, reference, card=DECLINED)

    assert charges.void(reference=reference) == PaymentState.DECLINED
    assert facts(reference) == ["payment_declined"]
    assert view(reference).is_over


def test_nothing_to_pay_is_paid_at_once(reference):
    started = begin(reference, Money(0, "EUR"))

    assert (started.state, started.checkout_url) == (PaymentState.CAPTURED, "")
    assert view(reference).is_paid
    assert charges.capture(reference=reference) == PaymentState.CAPTURED
    assert charges.void(reference=reference) == PaymentState.CAPTURED
    assert facts(reference) == ["payment_captured"]


@pytest.mark.parametrize("mode", ["429", "500"])
def test_a_stutter_of_the_provider_is_overcome(provider, reference, mode):
    provider.fault(mode, "POST /v1/checkout/sessions")

    assert begin(reference).checkout_url
    assert len(sessions_of(provider, reference)) == 1


@pytest.mark.parametrize("mode", ["timeout_before", "timeout_after"])
@pytest.mark.usefixtures("hurried")
def test_silence_is_unknown_until_the_same_key_is_answered(provider, reference, mode):
    provider.fault(mode, "POST /v1/checkout/sessions")

    started = begin(reference)

    assert (started.state, started.checkout_url) == (PaymentState.CREATED, "")
    assert view(reference).is_unknown
    reconcile()
    assert not view(reference).is_unknown
    assert view(reference).checkout_url
    assert len(sessions_of(provider, reference)) == 1
    assert ProviderCall.objects.filter(payment__reference=reference).count() == 1


@pytest.mark.parametrize("mode", ["timeout_before", "timeout_after", "500"])
@pytest.mark.usefixtures("hurried")
def test_a_capture_nobody_heard_of_is_found_out(provider, reference, mode):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    provider.fault(mode, "/capture")

    with pytest.raises(OutcomeUnknown):
        charges.capture(reference=reference)

    assert view(reference).is_unknown
    assert view(reference).state == PaymentState.AUTHORIZED
    reconcile()
    if mode == "500":
        # The old key only brings the old failure: the next try takes a new one.
        assert charges.capture(reference=reference) == PaymentState.CAPTURED
    assert view(reference).state == PaymentState.CAPTURED
    assert not view(reference).is_unknown
    assert money_at(provider, reference) == (1, 9100, 0)


def test_an_authorization_that_ended_cannot_be_captured(provider, reference):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    intent = Payment.objects.get(reference=reference).provider_intent
    provider.control("expire_auth", id=intent)

    assert charges.capture(reference=reference) == PaymentState.CAPTURE_FAILED

    assert facts(reference)[-1] == "capture_failed"
    assert view(reference).is_over


def test_an_open_payment_is_let_go_by_closing_its_page(provider, reference):
    begin(reference)

    assert charges.void(reference=reference) == PaymentState.EXPIRED

    session = provider.client().v1.checkout.sessions.retrieve(session_of(reference))
    assert session.status == "expired"
    assert facts(reference) == ["payment_expired"]


@pytest.mark.parametrize("heard", [True, False])
def test_reserved_money_is_let_go_without_a_movement(provider, reference, heard):
    begin_and_pay(provider, reference)
    if heard:
        charges.refresh(reference=reference)

    states = at_once(4, lambda: charges.void(reference=reference))

    assert set(states) == {PaymentState.VOIDED}
    assert money_at(provider, reference) == (1, 0, 0)
    assert facts(reference) == ["payment_authorized", "payment_voided"]
    assert view(reference).is_over
    assert charges.capture(reference=reference) == PaymentState.VOIDED


def test_taken_money_is_given_back_once(provider, reference):
    begin_and_pay(provider, reference, capture_at_once=True)

    states = at_once(4, lambda: charges.void(reference=reference))

    assert set(states) == {PaymentState.CAPTURED}
    assert view(reference).refunded == PRICE
    assert view(reference).is_over
    assert money_at(provider, reference) == (1, 9100, 9100)
    assert Refund.objects.filter(payment__reference=reference).count() == 1
    assert facts(reference) == ["payment_captured", "payment_refunded"]


@pytest.mark.parametrize(
    ("at_once", "path"), [(False, "/cancel"), (True, "POST /v1/refunds"), (None, "/expire")]
)
@pytest.mark.parametrize("mode", ["timeout_before", "timeout_after", "500", "429"])
@pytest.mark.usefixtures("hurried")
def test_giving_back_survives_silence(provider, reference, mode, at_once, path):
    if at_once is None:
        begin(reference)
    else:
        begin_and_pay(provider, reference, capture_at_once=at_once)
        charges.refresh(reference=reference)
    provider.fault(mode, path)

    with pytest.raises(OutcomeUnknown):
        charges.void(reference=reference)

    assert view(reference).is_unknown
    reconcile()
    reconcile()
    assert view(reference).is_over
    assert not view(reference).is_unknown
    _, captured, refunded = money_at(provider, reference)
    assert captured == refunded
    assert Payment.objects.get(reference=reference).next_check_at is None


@pytest.mark.usefixtures("hurried")
def test_money_that_comes_after_it_was_let_go_goes_back_by_itself(provider, reference):
    begin(reference)
    provider.fault("timeout_before", "/expire")
    with pytest.raises(OutcomeUnknown):
        charges.void(reference=reference)
    provider.pay(session_of(reference))

    reconcile()

    assert view(reference).state == PaymentState.VOIDED
    assert money_at(provider, reference) == (1, 0, 0)


def test_a_silent_provider_is_no_reason_to_fail_the_return_page(provider, reference, hurried):
    begin_and_pay(provider, reference)
    provider.fault("timeout_before", "GET /v1/checkout/sessions")

    assert charges.refresh(reference=reference) == PaymentState.PENDING


def test_the_provider_is_never_called_inside_a_transaction(provider, reference):
    begin(reference)

    for call in (charges.refresh, charges.capture, charges.void):
        with transaction.atomic(), pytest.raises(TransactionError):
            call(reference=reference)
    with transaction.atomic(), pytest.raises(TransactionError):
        begin(f"{reference}-2")


def test_a_reference_without_a_payment_is_told_so(reference):
    with pytest.raises(UnknownPayment):
        charges.refresh(reference=reference)
    assert selectors.payment(reference) is None


def test_each_call_was_intended_before_it_was_made(provider, reference):
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)

    made = ProviderCall.objects.filter(payment__reference=reference).order_by("pk")

    assert [call.kind for call in made] == [CallKind.AUTHORIZE, CallKind.CAPTURE]
    assert {call.state for call in made} == {CallState.ANSWERED}
    assert [call.idempotency_key for call in made] == [
        f"{kind}:{reference}:1" for kind in ("authorize", "capture")
    ]


@pytest.mark.parametrize(
    ("amount", "sent"),
    [
        (Money(1250, "EUR"), 1250),
        (Money(500, "JPY"), 500),
        (Money(1250, "KWD"), 1250),
        (Money(500, "ISK"), 50000),
        (Money(50000, "HUF"), 50000),
    ],
)
def test_every_currency_is_sent_and_understood_in_its_own_units(provider, reference, amount, sent):
    begin(reference, amount)
    provider.pay(session_of(reference))
    charges.capture(reference=reference)

    assert money_at(provider, reference) == (1, sent, 0)
    assert view(reference).captured == amount
    charges.void(reference=reference)
    assert view(reference).refunded == amount


def test_references_are_told_apart(provider, reference):
    others = [f"{reference}{letter}" for letter in itertools.islice("abc", 2)]
    for other in others:
        begin(other)

    provider.pay(session_of(others[0]))

    assert charges.refresh(reference=others[0]) == PaymentState.AUTHORIZED
    assert charges.refresh(reference=others[1]) == PaymentState.PENDING


def test_who_asks_again_with_more_time_has_more_time(provider, reference):
    begin(reference, minutes=5)

    begin(reference, minutes=9)
    begin(reference, minutes=7)

    deadline = Payment.objects.get(reference=reference).deadline_at
    assert deadline > timezone.now() + timedelta(minutes=8)


def test_what_the_provider_does_not_know_any_more_does_not_break_the_page(provider, reference):
    begin(reference)
    Payment.objects.filter(reference=reference).update(provider_session="cs_gone")

    assert charges.refresh(reference=reference) == PaymentState.PENDING


def test_a_payment_the_provider_will_not_open_is_said_to_be_so(provider, reference):
    with pytest.raises(ProviderRejected):
        begin(reference, minutes=60 * 24 * 2)

    assert not view(reference).is_unknown
    assert not view(reference).is_paid
    assert begin(reference).state == PaymentState.PENDING
