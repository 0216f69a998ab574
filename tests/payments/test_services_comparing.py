"""Our payments against the provider's own list of them, both ways."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from payments import stripe
from payments.models import Movement, Payment, PaymentState
from payments.services import calls, charges, comparing
from tests.payments.conftest import begin, begin_and_pay, view

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def since(provider):
    """Only what this test does: the provider remembers all of the run, and sees no skew here."""
    return timezone.now()


@pytest.fixture(autouse=True)
def clocks_agree(monkeypatch):
    monkeypatch.setattr(calls, "SKEW", timedelta(seconds=1))


def compare(since):
    return comparing.compare(since=since, at=timezone.now())


def mine(differences, *names):
    """Other tests' money may be of the same second."""
    return [each for each in differences if any(name in each.subject for name in names)]


def intent_of(reference):
    return Payment.objects.get(reference=reference).provider_intent


def captured(provider, reference):
    begin_and_pay(provider, reference)
    charges.capture(reference=reference)


def test_what_agrees_is_not_named(provider, reference, since):
    captured(provider, f"{reference}a")
    begin_and_pay(provider, f"{reference}b")
    charges.refresh(reference=f"{reference}b")
    begin_and_pay(provider, f"{reference}c")
    charges.void(reference=f"{reference}c")
    begin(f"{reference}d")

    found = compare(since)

    assert found.payments == 4
    assert mine([*found.mended, *found.left], reference) == []


def test_what_nobody_told_us_is_mended_by_asking(provider, reference, since):
    begin_and_pay(provider, reference)

    found = compare(since)

    [difference] = mine(found.mended, reference)
    assert difference.what == "state"
    assert mine(found.left, reference) == []
    assert view(reference).state == PaymentState.AUTHORIZED


def test_a_refund_in_the_dashboard_is_mended_by_asking(provider, reference, since):
    captured(provider, reference)
    provider.client().v1.refunds.create({"payment_intent": intent_of(reference), "amount": 100})

    found = compare(since)

    [difference] = mine(found.mended, reference)
    assert (difference.what, difference.there) == ("given back", "€1.00")
    assert view(reference).refunded.minor == 100


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ({"captured": 9000}, ("taken", "€90.00")),
        ({"refunded": 50}, ("given back", "€0.50")),
        ({"forget": True}, ("known", "nothing")),
    ],
)
def test_what_asking_does_not_mend_is_shown_and_nothing_is_guessed(
    provider, reference, since, lie, said
):
    captured(provider, reference)
    before = Movement.objects.count()
    provider.control("disagree", id=intent_of(reference), **lie)

    found = compare(since)

    [difference] = mine(found.left, reference)
    assert (difference.what, difference.there) == said
    assert Movement.objects.count() == before
    assert view(reference).captured.minor == 9100


def test_money_that_we_know_nothing_of_is_named(provider, reference, since):
    captured(provider, reference)
    api = provider.client().v1
    again = api.payment_intents.create(
        {
            "amount": 9100,
            "currency": "eur",
            "payment_method": "pm_card_visa",
            "confirm": True,
            "metadata": {"reference": reference},
        }
    )

    found = compare(since)

    [difference] = mine(found.left, again.id)
    assert (difference.here, difference.there) == ("nothing", "€91.00, taken")


def test_all_pages_of_the_list_are_read(provider, reference, since, monkeypatch):
    monkeypatch.setattr(stripe, "PAGE", 2)
    for letter in "abcde":
        captured(provider, f"{reference}{letter}")
    provider.control("disagree", id=intent_of(f"{reference}a"), captured=1)

    assert [d.subject for d in mine(compare(since).left, reference)] == [f"payment {reference}a"]


def test_the_command_fails_and_names_what_differs(provider, reference, since, capsys):
    captured(provider, reference)
    provider.control("disagree", id=intent_of(reference), captured=1)

    with pytest.raises(CommandError, match="Differences"):
        call_command("reconcile_payments", "--since", since.isoformat())

    told = capsys.readouterr()
    assert f"payment {reference}: taken: here €91.00, at the provider €0.01" in told.err


def test_the_command_takes_a_day_and_no_nonsense(provider):
    tomorrow = timezone.now() + timedelta(days=1)
    call_command("reconcile_payments", "--since", f"{tomorrow:%Y-%m-%d}")

    with pytest.raises(CommandError, match="no date"):
        call_command("reconcile_payments", "--since", "yesterday")


def test_a_silent_provider_is_no_difference(settings):
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"

    with pytest.raises(CommandError, match="cannot be asked"):
        call_command("reconcile_payments", "--since", "2026-01-01")
