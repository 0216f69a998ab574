from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from payments import stripe
from payments.models import CallState, Payment, PaymentState
from payments.services import calls, charges, reconciliation
from payments.tasks import reconcile as task
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
from tests.provider import NEEDS_3DS, running

pytestmark = pytest.mark.django_db(transaction=True)


def state(reference):
    return Payment.objects.get(reference=reference).state


def test_a_payment_nobody_told_us_about_is_found_out(provider, reference):
    begin_and_pay(provider, reference)

    counts = reconcile()

    assert counts["authorized"] == 1
    assert facts(reference) == ["payment_authorized"]


@pytest.mark.parametrize("card", ["", NEEDS_3DS])
def test_an_abandoned_page_is_closed_shortly_before_the_deadline(provider, reference, card):
    begin(reference, minutes=10)
    if card:
        provider.pay(session_of(reference), card)

    reconcile(later=9.7)
    assert state(reference) == PaymentState.PENDING
    reconcile(later=9.8)

    assert state(reference) == PaymentState.EXPIRED
    assert provider.client().v1.checkout.sessions.retrieve(session_of(reference)).status == (
        "expired"
    )
    assert facts(reference) == ["payment_expired"]
    assert view(reference).is_over


def test_a_payment_made_in_the_last_second_is_believed(provider, reference):
    begin_and_pay(provider, reference)

    reconcile(later=9.9)

    assert state(reference) == PaymentState.AUTHORIZED


def test_what_was_only_intended_when_we_died_is_done(provider, reference):
    payment = charges._find_or_create(reference, PRICE, timezone.now() + timedelta(minutes=10))
    charges._intend_to_open(payment, params())

    reconcile()

    assert state(reference) == PaymentState.PENDING
    assert view(reference).checkout_url


def test_what_was_only_intended_is_closed_after_the_deadline_and_not_opened(provider, reference):
    payment = charges._find_or_create(reference, PRICE, timezone.now() + timedelta(minutes=10))
    charges._intend_to_open(payment, params())

    reconcile(later=10.5)
    assert state(reference) == PaymentState.CREATED
    reconcile(later=11)

    assert state(reference) == PaymentState.EXPIRED
    assert facts(reference) == ["payment_expired"]
    assert view(reference).is_unknown is False
    assert Payment.objects.get(reference=reference).next_check_at is None


@pytest.mark.usefixtures("hurried")
def test_what_was_opened_unheard_is_closed_after_the_deadline(provider, reference):
    provider.fault("timeout_after", "POST /v1/checkout/sessions")
    begin(reference)

    reconcile(later=11)

    assert state(reference) == PaymentState.EXPIRED
    assert provider.client().v1.checkout.sessions.retrieve(session_of(reference)).status == (
        "expired"
    )


def test_a_capture_that_was_only_intended_is_made(provider, reference):
    begin_and_pay(provider, reference)
    charges.refresh(reference=reference)
    charges._intend_to_capture(Payment.objects.get(reference=reference))

    reconcile()

    assert state(reference) == PaymentState.CAPTURED
    assert money_at(provider, reference) == (1, 9100, 0)


def test_what_is_not_due_is_not_asked_about(provider, reference):
    begin_and_pay(provider, reference)

    reconciliation.reconcile_batch(at=timezone.now(), limit=100)

    assert state(reference) == PaymentState.PENDING


def test_two_workers_share_the_work(provider, reference):
    references = [f"{reference}{letter}" for letter in "abcdefgh"]
    for each in references:
        begin_and_pay(provider, each)
    Payment.objects.update(next_check_at=timezone.now())

    def work(_):
        try:
            return reconciliation.reconcile_batch(at=timezone.now(), limit=100)["authorized"]
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(work, range(2))) == len(references)
    assert {state(each) for each in references} == {PaymentState.AUTHORIZED}


def test_one_payment_that_cannot_go_on_holds_up_no_other(provider, reference, caplog):
    begin_and_pay(provider, f"{reference}a")
    Payment.objects.update(provider_session="cs_nobody_knows")
    begin_and_pay(provider, f"{reference}b")

    reconcile()

    assert state(f"{reference}a") == PaymentState.PENDING
    assert state(f"{reference}b") == PaymentState.AUTHORIZED
    assert "cannot go on" in caplog.text


def test_a_provider_that_is_down_decides_nothing(tmp_path, settings, reference, monkeypatch):
    monkeypatch.setattr(calls, "PATIENCE", timedelta())
    with running(tmp_path) as mine:
        settings.STRIPE_API_BASE = mine.base_url
        begin_and_pay(mine, f"{reference}a")
        mine.kill()
        begin(f"{reference}b")

        counts = reconcile()

        assert counts["unknown"] == 1
        assert state(f"{reference}a") == PaymentState.PENDING
        assert view(f"{reference}b").is_unknown

        mine.start()
        reconcile()

        assert state(f"{reference}a") == PaymentState.AUTHORIZED
        assert state(f"{reference}b") == PaymentState.PENDING
        assert not view(f"{reference}b").is_unknown
    stripe._client.cache_clear()


def test_a_payment_at_rest_is_left_alone(provider, reference):
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)

    assert not sum(reconcile(later=60).values())
    assert not Payment.objects.get(reference=reference).calls.exclude(state=CallState.ANSWERED)


def test_the_command_says_what_it_found(provider, reference):
    begin_and_pay(provider, reference)
    said = StringIO()

    call_command("reconcile_payments", "--all", stdout=said)
    call_command("reconcile_payments", stdout=said)

    assert "authorized" in said.getvalue()
    assert "Nothing to reconcile" in said.getvalue()


def test_the_task_may_run_at_any_time():
    assert task.run() == 0


def params():
    return {
        "description": "Two seats",
        "email": "ada@example.org",
        "success_url": "http://shop.example/done",
        "cancel_url": "http://shop.example/seats",
        "expires_at": (timezone.now() + timedelta(minutes=45)).isoformat(),
    }
