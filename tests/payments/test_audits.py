from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from payments.models import (
    CallKind,
    MovementKind,
    Payment,
    PaymentState,
    ProviderCall,
    Refund,
    RefundState,
)
from tests import factories
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(minutes=20)
TOTALS = "a payment took and gave back what its movements add up to"
RESERVED = "money is reserved in the ledger exactly while its payment is authorized"


@pytest.fixture
def payment():
    return factories.captured_payment("b1")


def gave_back(payment, minor):
    Payment.objects.update(refunded_minor=minor)
    factories.movement(payment, MovementKind.REFUNDED, -minor)


def found():
    """The rules that the audit finds broken by a row of payments."""
    return {f.rule for f in audit.run() if "b1" in f.subject}


def test_a_paid_payment_is_in_order(payment):
    assert found() == set()


def test_more_refunded_than_captured_is_found_even_without_its_constraint(payment):
    with connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE payments_payment"
            " DROP CONSTRAINT payments_refunded_is_within_captured_within_amount"
        )
        cursor.execute("UPDATE payments_payment SET refunded_minor = 101")

    assert "refunded is within captured, and captured within the amount" in found()


@pytest.mark.parametrize("change", [{"captured_minor": 99}, {"refunded_minor": 1}])
def test_amounts_written_past_the_ledger_are_found(payment, change):
    Payment.objects.update(**change)

    assert TOTALS in found()


@pytest.mark.parametrize(
    ("kind", "minor"),
    [
        (MovementKind.CAPTURED, 1),
        (MovementKind.REFUNDED, -1),
        (MovementKind.REFUND_FAILED, 1),
    ],
)
def test_a_movement_that_moved_no_payment_is_found(payment, kind, minor):
    factories.movement(payment, kind, minor, provider_id="nobody")

    assert TOTALS in found()


@pytest.mark.parametrize(
    ("kind", "minor"), [(MovementKind.AUTHORIZED, 1), (MovementKind.VOIDED, -1)]
)
def test_money_reserved_for_no_payment_is_found(payment, kind, minor):
    factories.movement(payment, kind, minor, provider_id="nobody")

    assert found() == {RESERVED}


def test_a_movement_of_another_currency_is_found_unless_it_is_a_fee(payment):
    factories.movement(payment, MovementKind.FEE, -3, currency="USD")
    assert found() == set()

    factories.movement(payment, MovementKind.REFUNDED, -3, currency="USD")

    assert found() == {"what a payment moved is of its own currency"}


def test_a_part_that_was_captured_is_found(payment):
    Payment.objects.update(captured_minor=99)

    assert "a captured payment took all that was asked for" in found()


def test_a_call_unknown_for_long_is_found_and_so_is_a_payment_nobody_asks_about(payment):
    ProviderCall.objects.create(
        payment=payment,
        kind=CallKind.CAPTURE,
        idempotency_key="b1:1",
        created_at=timezone.now() - LONG_AGO,
    )

    assert found() == {
        "no call to the provider stays unknown for five minutes",
        "a payment that is not at rest is asked about",
    }


def test_an_open_payment_after_its_deadline_is_found(payment):
    Payment.objects.update(
        state=PaymentState.PENDING,
        captured_minor=0,
        settled_at=None,
        next_check_at=timezone.now(),
        deadline_at=timezone.now() - LONG_AGO,
    )

    assert "no open payment outlives its deadline by five minutes" in found()


def test_money_kept_against_all_wishes_is_found(payment):
    Payment.objects.update(unwanted_at=timezone.now() - LONG_AGO)

    assert found() == {"money that nobody wants goes back within ten minutes"}


def refund(payment, state, *, amount=100, **fields):
    return Refund.objects.create(
        payment=payment,
        reference=f"b1-{Refund.objects.count()}",
        amount_minor=amount,
        state=state,
        settled_at=timezone.now(),
        **fields,
    )


def test_a_refund_that_failed_is_found_until_it_is_tried_again(payment):
    failed = refund(payment, RefundState.FAILED)

    assert found() == {"no refund has failed whose money is still here"}

    refund(payment, RefundState.SUCCEEDED, again_of=failed)
    gave_back(payment, 100)
    assert found() == set()


def test_more_promised_back_than_was_taken_is_found(payment):
    refund(payment, RefundState.SUCCEEDED, amount=60)
    gave_back(payment, 60)
    assert found() == set()

    Refund.objects.create(payment=payment, reference="b1-more", amount_minor=41)
    Payment.objects.update(next_check_at=timezone.now())

    assert found() == {"no more is promised back than was taken"}


def test_a_sum_that_is_not_that_of_its_refunds_is_found(payment):
    Payment.objects.update(refunded_minor=60)

    assert found() == {"what was refunded is the sum of the refunds", TOTALS}
