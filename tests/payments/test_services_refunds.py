"""Giving back a part, parts, or all of a payment, whatever the provider does."""

import threading
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from payments import selectors
from payments.errors import AnotherAmount, MoreThanThere, OutcomeUnknown, UnknownPayment
from payments.models import CallKind, Payment, PaymentState, ProviderCall, Refund, RefundState
from payments.services import charges, refunds
from payments.services import events as provider_events
from tests.payments.conftest import (
    PRICE,
    begin,
    begin_and_pay,
    facts,
    money_at,
    reconcile,
    relay,
    view,
)
from tests.races.rivals import race, wait_until_somebody_waits
from ticketing.kernel import audit
from ticketing.kernel.money import Money
from ticketing.kernel.transactions import TransactionError

pytestmark = pytest.mark.django_db(transaction=True)
SLOW_REFUND = "4000000000007726"


@pytest.fixture
def taken(provider, reference):
    """91 euros, captured."""
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)
    return reference


@pytest.fixture
def reserved(provider, reference):
    """91 euros, authorized and not captured."""
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    return reference


def ask(reference, name="a", minor=1000, *, is_last=False):
    with transaction.atomic():
        return refunds.request(
            payment_reference=reference,
            reference=f"{reference}-{name}",
            amount=Money(minor, "EUR"),
            is_last=is_last,
            at=timezone.now(),
        )


def states(reference):
    return [refund.state for refund in selectors.refunds(reference)]


def in_order():
    return [str(finding) for finding in audit.run()] == []


def test_a_part_is_given_back_and_then_another(provider, taken):
    ask(taken, "a", 3000)
    relay()
    ask(taken, "b", 6100)
    relay()

    assert money_at(provider, taken) == (1, 9100, 9100)
    assert view(taken).refunded == PRICE
    assert states(taken) == [RefundState.SUCCEEDED] * 2
    assert facts(taken).count("payment_refunded") == 2
    assert in_order()


def test_a_second_click_is_the_same_refund(provider, taken):
    assert ask(taken)
    assert not ask(taken)
    relay()
    assert not ask(taken)
    relay()

    assert money_at(provider, taken) == (1, 9100, 1000)
    with pytest.raises(AnotherAmount):
        ask(taken, minor=999)


def test_no_more_is_promised_than_is_there(provider, taken):
    ask(taken, "a", 9000)

    with pytest.raises(MoreThanThere) as refusal:
        ask(taken, "b", 101)

    assert refusal.value.left == Money(100, "EUR")
    relay()
    assert money_at(provider, taken) == (1, 9100, 9000)


def rivals(reference):
    outcomes = race(
        [partial(ask, reference, name, 5000) for name in ("a", "b", "c", "d", "e", "f")]
    )
    return sum(outcome.value is True for outcome in outcomes)


def test_rivals_for_the_same_money_are_never_promised_more_than_there_is(provider, taken):
    assert rivals(taken) == 1
    relay()

    assert money_at(provider, taken) == (1, 9100, 5000)
    assert in_order()


def test_without_the_lock_they_would_be(taken, monkeypatch):
    """The control: two who count before either writes both find the money there."""
    monkeypatch.setattr(refunds, "_lock", lambda name: Payment.objects.get(reference=name))
    count, both = Payment.__dict__["left"].fget, threading.Barrier(2, timeout=20)

    def count_together(payment):
        left = count(payment)
        both.wait()
        return left

    monkeypatch.setattr(Payment, "left", property(count_together))

    outcomes = race([partial(ask, taken, name, 9000) for name in "ab"])

    assert [outcome.value for outcome in outcomes] == [True, True]
    assert not in_order()


def test_all_of_what_is_only_reserved_is_let_go(provider, reserved):
    ask(reserved, minor=9100, is_last=True)
    assert not ask(reserved, minor=9100, is_last=True)
    relay()

    assert view(reserved).state == PaymentState.VOIDED
    assert money_at(provider, reserved) == (1, 0, 0)
    assert states(reserved) == []
    assert charges.capture(reference=reserved) == PaymentState.VOIDED
    assert in_order()


def test_a_part_of_what_is_reserved_is_taken_first_and_then_given_back(provider, reserved):
    ask(reserved, minor=2000)
    relay()

    assert money_at(provider, reserved) == (1, 9100, 2000)
    kinds = ProviderCall.objects.filter(payment__reference=reserved).order_by("pk")
    assert [call.kind for call in kinds][1:] == [CallKind.CAPTURE, CallKind.REFUND]


def test_all_of_it_is_not_let_go_while_something_is_still_bought_with_it(provider, reserved):
    ask(reserved, minor=9100, is_last=False)
    relay()

    assert view(reserved).state == PaymentState.CAPTURED
    assert money_at(provider, reserved) == (1, 9100, 9100)


@pytest.mark.parametrize("mode", ["timeout_before", "timeout_after"])
@pytest.mark.usefixtures("hurried")
def test_a_refund_waits_while_nobody_knows_whether_the_money_was_taken(provider, reserved, mode):
    provider.fault(mode, "/capture", times=3)
    with pytest.raises(OutcomeUnknown):
        charges.capture(reference=reserved)

    ask(reserved, minor=9100, is_last=True)
    relay()
    if mode == "timeout_before":
        assert states(reserved) == [RefundState.REQUESTED]
        assert money_at(provider, reserved) == (1, 0, 0)
    provider.control("fault", mode="none")
    reconcile()
    reconcile()

    assert states(reserved) == [RefundState.SUCCEEDED]
    assert money_at(provider, reserved) == (1, 9100, 9100)
    assert Payment.objects.get(reference=reserved).next_check_at is None
    assert in_order()


@pytest.mark.usefixtures("hurried")
def test_a_refund_of_money_that_could_not_be_taken_says_so(provider, reserved):
    intent = Payment.objects.get(reference=reserved).provider_intent
    ask(reserved, minor=2000)
    provider.control("expire_auth", id=intent)

    relay()

    [refund] = selectors.refunds(reserved)
    assert refund.state == RefundState.FAILED
    assert "nothing was taken" in refund.problem
    assert view(reserved).state == PaymentState.CAPTURE_FAILED
    assert in_order()


@pytest.mark.parametrize("mode", ["timeout_before", "timeout_after", "500", "429"])
@pytest.mark.usefixtures("hurried")
def test_a_refund_nobody_heard_of_is_made_once(provider, taken, mode):
    provider.fault(mode, "POST /v1/refunds")
    ask(taken, minor=2000)

    relay()
    reconcile()
    reconcile()

    assert money_at(provider, taken) == (1, 9100, 2000)
    assert states(taken) == [RefundState.SUCCEEDED]
    assert not view(taken).is_unknown
    assert Payment.objects.get(reference=taken).next_check_at is None


def test_a_refund_that_was_only_asked_for_when_we_died_is_made(provider, taken):
    ask(taken, minor=2000)

    reconcile()

    assert money_at(provider, taken) == (1, 9100, 2000)
    relay()
    assert money_at(provider, taken) == (1, 9100, 2000)


def made_by_others(provider, reference, minor):
    intent = Payment.objects.get(reference=reference).provider_intent
    return provider.client().v1.refunds.create({"payment_intent": intent, "amount": minor})


def test_refunds_made_in_the_dashboard_are_taken_in_once(provider, taken):
    made_by_others(provider, taken, 1000)
    theirs = made_by_others(provider, taken, 500)

    charges.refresh(reference=taken)
    charges.refresh(reference=taken)

    assert view(taken).refunded == Money(1500, "EUR")
    assert facts(taken).count("payment_refunded") == 2
    assert theirs.id in {refund.reference for refund in selectors.refunds(taken)}
    with pytest.raises(MoreThanThere):
        ask(taken, minor=7601)
    assert in_order()


def test_many_refunds_are_read_to_the_last_page(provider, taken):
    for _ in range(12):
        made_by_others(provider, taken, 100)

    charges.refresh(reference=taken)

    assert view(taken).refunded == Money(1200, "EUR")


def test_what_was_given_back_already_at_the_provider_is_not_given_back_again(provider, taken):
    ask(taken, minor=9100)
    made_by_others(provider, taken, 9100)

    relay()

    assert money_at(provider, taken) == (1, 9100, 9100)
    assert sorted(states(taken)) == [RefundState.FAILED, RefundState.SUCCEEDED]
    assert Payment.objects.get(reference=taken).next_check_at is None
    assert in_order()


def settle(provider, reference, **how):
    refund = Refund.objects.filter(payment__reference=reference).latest("pk")
    provider.control("settle_refund", id=refund.provider_refund, **how)


def test_a_refund_that_takes_its_time_is_pending_and_not_asked_for_again(provider, reference):
    begin_and_pay(provider, reference, card=SLOW_REFUND)
    charges.capture(reference=reference)
    ask(reference, minor=2000)
    relay()
    reconcile()

    assert states(reference) == [RefundState.PENDING]
    assert money_at(provider, reference) == (1, 9100, 2000)
    assert "payment_refunded" not in facts(reference)

    settle(provider, reference)
    reconcile()

    assert states(reference) == [RefundState.SUCCEEDED]
    assert money_at(provider, reference) == (1, 9100, 2000)
    assert facts(reference).count("payment_refunded") == 1


def test_a_refund_that_fails_later_gives_the_balance_back_and_can_be_tried_again(provider, taken):
    ask(taken, minor=2000)
    relay()
    failed = Refund.objects.get(payment__reference=taken)
    settle(provider, taken, failure="lost_or_stolen_card")
    charges.refresh(reference=taken)

    failed.refresh_from_db()
    assert (failed.state, failed.problem) == (RefundState.FAILED, "lost_or_stolen_card")
    assert view(taken).refunded == Money(0, "EUR")
    assert facts(taken)[-1] == "refund_failed"
    assert not in_order()

    tries = race([lambda: refunds.try_again(reference=failed.reference, at=timezone.now())] * 4)
    relay()

    assert [outcome.value for outcome in tries].count(True) == 1
    assert view(taken).refunded == Money(2000, "EUR")
    assert money_at(provider, taken) == (1, 9100, 2000)
    assert in_order()


def test_a_failed_refund_whose_money_went_back_another_way_is_not_tried_again(provider, taken):
    ask(taken, minor=9100)
    made_by_others(provider, taken, 9100)
    relay()
    failed = Refund.objects.get(state=RefundState.FAILED)

    with pytest.raises(MoreThanThere):
        refunds.try_again(reference=failed.reference, at=timezone.now())


def test_a_webhook_tells_of_a_refund_that_failed(provider, taken):
    ask(taken, minor=2000)
    relay()
    settle(provider, taken, failure="declined")
    [told] = provider.client().v1.events.list({"types": ["refund.failed"], "limit": 1}).data

    provider_events.receive(provider="stripe", event=told.to_dict())
    relay()

    assert states(taken) == [RefundState.FAILED]


def test_an_unwanted_payment_gives_back_only_what_is_left(provider, taken):
    made_by_others(provider, taken, 1000)
    ask(taken, minor=2000)

    charges.void(reference=taken)
    relay()

    assert money_at(provider, taken) == (1, 9100, 9100)
    assert view(taken).is_over
    assert in_order()


def test_money_that_never_came_cannot_be_promised(provider, reference):
    begin(reference)

    with pytest.raises(MoreThanThere):
        ask(reference)
    with pytest.raises(UnknownPayment):
        ask(f"{reference}-nobody")


def test_a_refund_is_asked_for_inside_a_transaction_and_made_outside(taken):
    with pytest.raises(TransactionError):
        refunds.request(
            payment_reference=taken,
            reference="x",
            amount=PRICE,
            is_last=False,
            at=timezone.now(),
        )
    with transaction.atomic(), pytest.raises(TransactionError):
        refunds.pay_out(payment_reference=taken)


def test_a_capture_that_comes_second_takes_nothing(provider, reserved):
    """It waits for the payment while all of it is asked back, and finds nothing to take."""
    with transaction.atomic():
        Payment.objects.select_for_update().get(reference=reserved)
        late = threading.Thread(target=_capture, args=[reserved])
        late.start()
        wait_until_somebody_waits()
        ask_inside = refunds.request(
            payment_reference=reserved,
            reference=f"{reserved}-a",
            amount=PRICE,
            is_last=True,
            at=timezone.now(),
        )
    late.join()
    relay()

    assert ask_inside
    assert view(reserved).state == PaymentState.VOIDED
    assert money_at(provider, reserved) == (1, 0, 0)


def _capture(reference):
    try:
        charges.capture(reference=reference)
    finally:
        connection.close()
