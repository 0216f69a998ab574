import pytest
from django.db import connection

from payments.models import CallKind, ProviderCall, ProviderEvent, Refund
from tests import factories
from tests.constraints.breaking import broken_by, copy

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def paid():
    """A captured payment with a refund, a call and an event."""
    payment = factories.captured_payment("b1")
    failed = Refund.objects.create(payment=payment, reference="b1-lost", amount_minor=100)
    refund = Refund.objects.create(
        payment=payment,
        reference="b1-back",
        amount_minor=100,
        provider_refund="re_1",
        again_of=failed,
    )
    ProviderCall.objects.create(
        payment=payment, refund=refund, kind=CallKind.REFUND, idempotency_key="k1"
    )
    payment.disputes.create(provider_dispute="dp_1", amount_minor=100, opened_at=payment.created_at)
    ProviderEvent.objects.create(
        provider="stripe", event_id="evt_1", kind="refund.created", payload={}
    )


@pytest.mark.parametrize(
    ("name", "table", "changes"),
    [
        ("payments_payment_reference_key", "payments_payment", {}),
        (
            "payments_session_pays_for_one_payment",
            "payments_payment",
            {"reference": "'b2'", "provider_intent": "'pi_2'"},
        ),
        (
            "payments_intent_pays_for_one_payment",
            "payments_payment",
            {"reference": "'b2'", "provider_session": "'cs_2'"},
        ),
        ("payments_refund_reference_key", "payments_refund", {}),
        (
            "payments_provider_refund_is_one_refund",
            "payments_refund",
            {"reference": "'b1-again'", "again_of_id": "NULL"},
        ),
        (
            "payments_refund_again_of_id_key",
            "payments_refund",
            {"reference": "'b1-again'", "provider_refund": "'re_2'"},
        ),
        ("payments_providercall_idempotency_key_key", "payments_providercall", {}),
        (
            "payments_one_open_call_for_a_refund",
            "payments_providercall",
            {"idempotency_key": "'k2'"},
        ),
        ("payments_provider_event_is_stored_once", "payments_providerevent", {}),
        ("payments_movement_is_entered_once", "payments_movement", {}),
        ("payments_dispute_is_kept_once", "payments_dispute", {}),
    ],
)
def test_there_is_one_of_a_kind(name, table, changes):
    assert broken_by(copy(table, **changes)) == name


def test_a_payment_has_one_open_call_of_a_kind():
    another = {"refund_id": "NULL", "kind": "'capture'"}
    with connection.cursor() as cursor:
        cursor.execute(copy("payments_providercall", idempotency_key="'k2'", **another))

    again = copy("payments_providercall", idempotency_key="'k3'", **another)

    assert broken_by(again) == "payments_one_open_call_of_a_kind"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("payments_payment_state_is_known", "state = 'x', captured_minor = 0"),
        ("payments_refunded_is_within_captured_within_amount", "refunded_minor = 101"),
        ("payments_refunded_is_within_captured_within_amount", "captured_minor = 101"),
        ("payments_money_is_taken_iff_captured", "captured_minor = 0"),
        ("payments_money_is_taken_iff_captured", "state = 'expired'"),
        ("payments_payment_is_settled_iff_not_open", "settled_at = NULL"),
        (
            "payments_payment_is_settled_iff_not_open",
            "state = 'pending', captured_minor = 0, next_check_at = now()",
        ),
        (
            "payments_open_payment_is_asked_about",
            "state = 'pending', captured_minor = 0, settled_at = NULL",
        ),
        ("payments_started_payment_has_a_session", "provider_session = ''"),
        (
            "payments_authorized_payment_has_an_intent_and_a_time",
            "state = 'voided', captured_minor = 0",
        ),
        (
            "payments_authorized_payment_has_an_intent_and_a_time",
            "state = 'voided', captured_minor = 0, authorized_at = now(), provider_intent = ''",
        ),
    ],
)
def test_a_payment_has_the_shape_of_its_state(name, changes):
    assert broken_by(f"UPDATE payments_payment SET {changes}") == name


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        (
            "payments_refund_state_is_known",
            "UPDATE payments_refund SET state = 'x', settled_at = now()",
        ),
        ("payments_refund_gives_something_back", "UPDATE payments_refund SET amount_minor = 0"),
        ("payments_refund_is_settled_iff_not_open", "UPDATE payments_refund SET state = 'failed'"),
        ("payments_refund_is_settled_iff_not_open", "UPDATE payments_refund SET settled_at=now()"),
        (
            "payments_call_kind_is_known",
            "UPDATE payments_providercall SET kind = 'x', refund_id = NULL",
        ),
        ("payments_call_state_is_known", "UPDATE payments_providercall SET state = 'x'"),
        (
            "payments_call_has_a_time_iff_answered",
            "UPDATE payments_providercall SET state = 'answered'",
        ),
        (
            "payments_call_has_a_time_iff_answered",
            "UPDATE payments_providercall SET answered_at = now()",
        ),
        (
            "payments_call_names_a_refund_iff_it_refunds",
            "UPDATE payments_providercall SET refund_id = NULL",
        ),
        (
            "payments_call_names_a_refund_iff_it_refunds",
            "UPDATE payments_providercall SET kind = 'capture'",
        ),
        (
            "payments_dispute_state_is_known",
            "UPDATE payments_dispute SET state = 'x', closed_at = now()",
        ),
        ("payments_dispute_is_closed_iff_not_open", "UPDATE payments_dispute SET state = 'won'"),
        (
            "payments_dispute_is_closed_iff_not_open",
            "UPDATE payments_dispute SET closed_at = now()",
        ),
        (
            "payments_provider_event_state_is_known",
            "UPDATE payments_providerevent SET state = 'x', handled_at = now()",
        ),
        (
            "payments_provider_event_is_handled_iff_not_new",
            "UPDATE payments_providerevent SET state = 'ignored'",
        ),
        (
            "payments_provider_event_is_handled_iff_not_new",
            "UPDATE payments_providerevent SET handled_at = now()",
        ),
    ],
)
def test_a_row_has_the_shape_of_its_state(name, sql):
    assert broken_by(sql) == name


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("payments_movement_kind_is_known", {"kind": "'x'"}),
        *(
            ("payments_movement_has_the_sign_of_its_kind", {"kind": kind, "amount_minor": minor})
            for kind, minor in [
                ("'authorized'", "-1"),
                ("'captured'", "0"),
                ("'refund_failed'", "-1"),
                ("'voided'", "1"),
                ("'refunded'", "0"),
                ("'fee'", "0"),
                ("'dispute'", "0"),
            ]
        ),
    ],
)
def test_a_movement_has_the_shape_of_its_kind(name, changes):
    assert broken_by(copy("payments_movement", provider_id="'another'", **changes)) == name


@pytest.mark.parametrize(
    "sql", ["UPDATE payments_movement SET at = now()", "DELETE FROM payments_movement"]
)
def test_the_ledger_is_only_ever_added_to(sql):
    assert broken_by(sql) == "payments_movements_are_append_only"
