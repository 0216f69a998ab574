"""What the provider said may reach us in any order, twice, or not at all."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from payments.gateway import Outcome, RefundOutcome, Standing
from payments.models import Payment, PaymentState, RefundState
from payments.services import outcomes
from tests.payments.conftest import facts

pytestmark = pytest.mark.django_db

OPEN = Outcome("cs_1", Standing.NOTHING, is_open=True, checkout_url="http://pay.example/1")
DECLINED = Outcome("cs_1", Standing.NOTHING, is_open=True, intent="pi_1", problem="declined")
AUTHORIZED = Outcome("cs_1", Standing.AUTHORIZED, is_open=False, intent="pi_1")
CAPTURED = Outcome("cs_1", Standing.CAPTURED, is_open=False, intent="pi_1", captured_minor=500)
FIRST = RefundOutcome("re_1", is_done=True, is_final=True, amount_minor=200)
PART_BACK = Outcome(
    "cs_1",
    Standing.CAPTURED,
    is_open=False,
    intent="pi_1",
    captured_minor=500,
    refunds=(FIRST,),
)
ALL_BACK = Outcome(
    "cs_1",
    Standing.CAPTURED,
    is_open=False,
    intent="pi_1",
    captured_minor=500,
    refunds=(RefundOutcome("re_2", is_done=True, is_final=True, amount_minor=300), FIRST),
)
CANCELED = Outcome("cs_1", Standing.CANCELED, is_open=False, intent="pi_1")


def new_payment(reference="b1"):
    return Payment.objects.create(
        reference=reference,
        provider="stripe",
        amount_minor=500,
        currency="EUR",
        deadline_at=timezone.now() + timedelta(minutes=10),
        next_check_at=timezone.now(),
    )


def tell(payment, said):
    for outcome in said:
        intent = f"pi_{payment.pk}" if outcome.intent else ""
        refunds = tuple(replace(r, refund=f"{r.refund}_{payment.pk}") for r in outcome.refunds)
        mine = replace(outcome, session=f"cs_{payment.pk}", intent=intent, refunds=refunds)
        outcomes.record(payment_id=payment.pk, outcome=mine, at=timezone.now())
    payment.refresh_from_db()


@pytest.mark.parametrize(
    "said", list(permutations([OPEN, DECLINED, AUTHORIZED, CAPTURED, ALL_BACK]))
)
def test_any_order_comes_to_the_same_end(said):
    payment = new_payment()

    tell(payment, said)

    assert payment.state == PaymentState.CAPTURED
    assert (payment.captured_minor, payment.refunded_minor) == (500, 500)
    assert facts("b1").count("payment_captured") == 1


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
)
@given(st.data())
def test_any_repetition_comes_to_the_same_end(data):
    story = [OPEN, DECLINED, AUTHORIZED, CAPTURED, PART_BACK, ALL_BACK]
    noise = data.draw(st.lists(st.sampled_from(story), max_size=6))
    payment = new_payment(f"b{Payment.objects.count()}")

    tell(payment, data.draw(st.permutations([*noise, ALL_BACK])))

    assert payment.state == PaymentState.CAPTURED
    assert payment.refunded_minor == 500
    assert payment.next_check_at is None


@pytest.mark.parametrize("said", list(permutations([OPEN, AUTHORIZED, CANCELED])))
def test_money_that_was_not_wanted_is_voided_or_never_came(said):
    payment = new_payment()
    Payment.objects.update(unwanted_at=timezone.now())

    tell(payment, said)

    never_seen = said.index(CANCELED) < said.index(AUTHORIZED)
    assert payment.state == (PaymentState.EXPIRED if never_seen else PaymentState.VOIDED)
    assert "capture_failed" not in facts("b1")


def test_money_that_was_wanted_and_is_gone_could_not_be_taken():
    payment = new_payment()

    tell(payment, [OPEN, AUTHORIZED, CANCELED, AUTHORIZED, CANCELED])

    assert payment.state == PaymentState.CAPTURE_FAILED
    assert facts("b1") == ["payment_authorized", "capture_failed"]


def test_news_is_asked_after_soon_and_silence_ever_later():
    payment = new_payment()
    at = timezone.now()
    pauses = []
    for checks in range(9):
        Payment.objects.update(checks=checks, deadline_at=at + timedelta(days=1))
        planned = outcomes.plan(payment_id=payment.pk, at=at).next_check_at
        assert planned is not None
        pauses.append((planned - at).seconds)

    assert pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    tell(payment, [OPEN])
    assert payment.checks == 0


def test_an_open_payment_is_asked_about_in_time_to_close_it():
    payment = new_payment()
    at = timezone.now()
    Payment.objects.update(checks=9, deadline_at=at + timedelta(seconds=60))

    planned = outcomes.plan(payment_id=payment.pk, at=at)

    assert planned.next_check_at == at + timedelta(seconds=60) - outcomes.MARGIN


ON_THE_WAY = RefundOutcome("re_1", is_done=False, is_final=False, amount_minor=200)
CAME_BACK = RefundOutcome("re_1", is_done=False, is_final=True, amount_minor=200, problem="lost")


@pytest.mark.parametrize("said", list(permutations([ON_THE_WAY, FIRST, CAME_BACK])))
def test_a_refund_that_the_bank_sent_back_is_not_given_back_in_any_order(said):
    payment = new_payment()
    tell(payment, [CAPTURED])

    for refund in said:
        outcomes.record_refund(payment_id=payment.pk, outcome=refund, at=timezone.now())

    payment.refresh_from_db()
    assert payment.refunds.get().state == RefundState.FAILED
    assert payment.refunded_minor == 0
    assert facts("b1").count("refund_failed") == 1
