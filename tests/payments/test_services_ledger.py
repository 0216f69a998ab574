"""Every movement of money is in the ledger once, whoever learned of it, and its sums are totals."""

from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from payments.gateway import Fee, Outcome, RefundOutcome, Standing
from payments.models import Movement, MovementKind, Payment, PaymentState
from payments.services import charges
from tests.payments.conftest import begin, begin_and_pay, reconcile, session_of, view
from tests.payments.test_services_outcomes import AUTHORIZED, CANCELED, OPEN, new_payment, tell
from ticketing.kernel import audit
from ticketing.kernel.money import Money

pytestmark = pytest.mark.django_db(transaction=True)


def entered(reference):
    """What the ledger says of a payment: the kinds and amounts, in order; fees apart."""
    rows = Movement.objects.filter(payment__reference=reference).exclude(kind=MovementKind.FEE)
    return list(rows.order_by("pk").values_list("kind", "amount_minor"))


def fees(reference):
    rows = Movement.objects.filter(payment__reference=reference, kind=MovementKind.FEE)
    return [row.amount for row in rows]


def is_in_order():
    return not list(audit.run())


def test_a_payment_that_is_reserved_and_taken(provider, reference):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    assert entered(reference) == [("authorized", 9100)]

    charges.capture(reference=reference)

    assert entered(reference) == [("authorized", 9100), ("captured", 9100)]
    assert fees(reference) == [Money(-(9100 * 15 // 1000 + 25), "EUR")]
    row = Movement.objects.get(payment__reference=reference, kind=MovementKind.CAPTURED)
    assert row.call.kind == "capture"
    assert row.provider_id == row.payment.provider_intent


def test_money_taken_at_once_was_reserved_in_the_same_moment(provider, reference):
    begin_and_pay(provider, reference, capture_at_once=True)

    reconcile()

    assert entered(reference) == [("authorized", 9100), ("captured", 9100)]
    row = Movement.objects.get(payment__reference=reference, kind=MovementKind.CAPTURED)
    assert row.call is None


def test_what_is_let_go_is_reserved_no_more(provider, reference):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)

    charges.void(reference=reference)

    assert entered(reference) == [("authorized", 9100), ("voided", -9100)]
    assert Movement.objects.get(kind=MovementKind.VOIDED).call.kind == "void"


def test_what_the_bank_took_back_is_reserved_no_more(provider, reference):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    provider.control("expire_auth", id=Payment.objects.get(reference=reference).provider_intent)

    charges.refresh(reference=reference)

    assert view(reference).state == PaymentState.CAPTURE_FAILED
    assert entered(reference) == [("authorized", 9100), ("voided", -9100)]
    assert is_in_order()


def test_a_refund_of_ours_names_the_call_that_asked_for_it(provider, reference):
    begin_and_pay(provider, reference, capture_at_once=True)

    charges.void(reference=reference)

    assert entered(reference)[2:] == [("refunded", -9100)]
    row = Movement.objects.get(kind=MovementKind.REFUNDED)
    assert row.call.refund.provider_refund == row.provider_id
    assert is_in_order()


def test_refunds_made_in_the_dashboard_are_taken_in_one_by_one(provider, reference):
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)
    api = provider.client().v1
    # More than the provider lists within a charge.
    intent = Payment.objects.get(reference=reference).provider_intent
    made = [api.refunds.create({"payment_intent": intent, "amount": n}).id for n in range(1, 13)]

    charges.refresh(reference=reference)
    charges.refresh(reference=reference)

    assert entered(reference)[2:] == [("refunded", -n) for n in range(1, 13)]
    rows = Movement.objects.filter(kind=MovementKind.REFUNDED).order_by("pk")
    assert list(rows.values_list("provider_id", flat=True)) == made
    assert {row.call for row in rows} == {None}
    assert view(reference).refunded == Money(78, "EUR")
    assert is_in_order()


def test_a_declined_and_an_abandoned_payment_moved_nothing(provider, reference):
    begin(f"{reference}a")
    provider.pay(session_of(f"{reference}a"), "4000000000000002")
    begin(f"{reference}b")
    reconcile(later=11)

    assert not Movement.objects.exists()


def test_a_payment_of_nothing_moves_nothing(reference):
    begin(reference, Money(0, "EUR"))

    assert view(reference).state == PaymentState.CAPTURED
    assert not Movement.objects.exists()
    assert is_in_order()


def captured(*refunds, minor=500, fees=()):
    return Outcome(
        "cs_1",
        Standing.CAPTURED,
        is_open=False,
        intent="pi_1",
        captured_minor=minor,
        refunds=refunds,
        fees=fees,
    )


DONE = RefundOutcome("re_1", is_done=True, is_final=True, amount_minor=200)
FAILED = RefundOutcome("re_1", is_done=False, is_final=True, amount_minor=200)
UNDER_WAY = RefundOutcome("re_2", is_done=False, is_final=False, amount_minor=300)


def test_a_part_that_was_taken_leaves_nothing_reserved():
    tell(new_payment(), [AUTHORIZED, captured(minor=400)])

    assert entered("b1") == [("authorized", 500), ("captured", 400), ("voided", -100)]


def test_a_refund_that_fails_later_gives_the_balance_back_once():
    payment = new_payment()

    tell(payment, [captured(DONE), captured(UNDER_WAY, FAILED), captured(UNDER_WAY, FAILED)])

    assert entered("b1")[2:] == [("refunded", -200), ("refund_failed", 200), ("refunded", -300)]
    assert payment.refunded_minor == 300


@pytest.mark.parametrize(
    "said",
    list(permutations([AUTHORIZED, captured(DONE), captured(FAILED), captured(DONE, UNDER_WAY)])),
)
def test_old_answers_that_arrive_late_change_nothing(said):
    payment = new_payment()

    tell(payment, [OPEN, *said, CANCELED])

    back = ("refunded", "refund_failed")
    assert sorted(each for each in entered("b1") if each[0] in back) == [
        ("refund_failed", 200),
        ("refunded", -300),
        ("refunded", -200),
    ]
    assert payment.refunded_minor == 300


def test_a_fee_is_of_the_currency_that_is_paid_out_and_entered_once():
    fee = Fee("txn_1", Money(33, "USD"))

    tell(new_payment(), [captured(), captured(fees=(fee,)), captured(fees=(fee,))])

    assert fees("b1") == [Money(-33, "USD")]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
)
@given(st.data())
def test_the_totals_are_the_sums_whatever_is_told_in_whatever_order(data):
    refunds = [DONE, FAILED, UNDER_WAY]
    noise = st.one_of(
        st.sampled_from([OPEN, AUTHORIZED, CANCELED]),
        st.lists(st.sampled_from(refunds), unique_by=lambda refund: refund.refund).map(
            lambda chosen: captured(*chosen)
        ),
    )
    payment = new_payment(f"b{Payment.objects.count()}")

    tell(payment, data.draw(st.lists(noise, max_size=8)))

    wrong = {"a payment took and gave back what its movements add up to"}
    wrong |= {"money is reserved in the ledger exactly while its payment is authorized"}
    assert not [found for found in audit.run() if found.rule in wrong]
