"""Whatever is lost, repeated or late on the way, one payment comes to one end."""

import itertools
from contextlib import suppress
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from payments.errors import PaymentError
from payments.gateway import Standing
from payments.models import CallState, Payment, PaymentState, ProviderEvent
from payments.services import calls, charges, events, reconciliation
from tests.payments.conftest import begin, facts, view
from tests.payments.till import Till
from ticketing.kernel.money import Money

pytestmark = pytest.mark.django_db

PRICE = Money(500, "EUR")
# After every deadline, and after every straggler.
LATER = timedelta(minutes=30)
FATES = st.lists(st.sampled_from(["", "", "", "before", "after", "broken"]), max_size=25)
_numbers = itertools.count(1)
STEPS = ["begin", "pay", "tell", "tell", "tell again", "come back", "sweep", "capture"]


class Story:
    """A payment, and everybody who wants to know of it, in any order and as often as they like."""

    def __init__(self, till: Till) -> None:
        self.till = till
        self.name = f"any-{next(_numbers)}"
        self._told = 0
        begin(self.name, PRICE)

    def take(self, step: str) -> None:
        with suppress(PaymentError):
            match step:
                case "begin":
                    begin(self.name, PRICE)
                case "pay":
                    self.till.pay()
                case "tell":
                    self._tell(len(self.till.events) - 1 - self._told)
                case "tell again":
                    self._tell(0)
                case "come back":
                    charges.refresh(reference=self.name)
                case "sweep":
                    self._sweep(timedelta())
                case "capture":
                    charges.capture(reference=self.name)
                case "let go":
                    charges.void(reference=self.name)

    def finish(self) -> Payment:
        """Nothing goes astray any more, all is told once more, and beat goes on asking."""
        self.till.mend()
        for number in range(len(self.till.events)):
            self._tell(number)
        for later in (timedelta(), LATER, 2 * LATER):
            self._sweep(later)
        return Payment.objects.get(reference=self.name)

    def _tell(self, number: int) -> None:
        """The newest that was not told yet comes first: no order is promised."""
        if not 0 <= number < len(self.till.events):
            return
        self._told += 1
        event = self.till.events[number]
        events.receive(provider="stripe", event=event)
        stored = ProviderEvent.objects.get(event_id=event["id"])
        with suppress(PaymentError):
            events.process(provider_event_id=stored.pk)

    def _sweep(self, later: timedelta) -> None:
        at = timezone.now() + later
        reconciliation.hasten(at=at)
        reconciliation.reconcile_batch(at=at, limit=10)


@pytest.fixture
def story_of(monkeypatch):
    monkeypatch.setattr(calls, "PATIENCE", timedelta())

    def new(fates):
        till = Till(fates)
        monkeypatch.setitem(calls._gateways, till.name, till)
        return Story(till)

    return new


def in_any_order(number, *steps):
    """Many orders of these steps, with repetitions, and with any fate of every call."""

    def decorate(test):
        orders = given(fates=FATES, steps=st.lists(st.sampled_from([*STEPS, *steps]), max_size=14))
        return settings(
            max_examples=number,
            deadline=None,
            suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
            database=None,
        )(orders(test))

    return decorate


def comes_to_be_paid(story, steps):
    for step in steps:
        story.take(step)
    story.till.mend()
    for step in ("begin", "pay", "come back", "capture"):
        story.take(step)
    payment = story.finish()

    assert payment.state == PaymentState.CAPTURED
    assert (payment.captured_minor, payment.refunded_minor) == (500, 0)
    assert story.till.effects == ["authorized", "captured"]
    assert story.till.kept == 500
    assert facts(story.name).count("payment_captured") == 1
    assert at_rest(payment)


def comes_to_nothing(story, steps):
    for step in steps:
        story.take(step)
    story.till.mend()
    story.take("let go")
    payment = story.finish()

    assert story.till.kept == 0
    assert story.till.standing == Standing.NOTHING or not story.till.is_open
    assert view(story.name).is_over
    assert len(story.till.refunds) == ("captured" in story.till.effects)
    assert payment.refunded_minor == payment.captured_minor
    assert at_rest(payment)


def at_rest(payment):
    unanswered = payment.calls.exclude(state=CallState.ANSWERED).exists()
    waiting = ProviderEvent.objects.filter(state="received").exists()
    return payment.next_check_at is None and not unanswered and not waiting


@in_any_order(25)
def test_money_that_is_wanted_is_taken_once(story_of, fates, steps):
    comes_to_be_paid(story_of(fates), steps)


@in_any_order(25, "let go", "let go")
def test_money_that_is_not_wanted_goes_back_once(story_of, fates, steps):
    comes_to_nothing(story_of(fates), steps)


@pytest.mark.long
@in_any_order(1200)
def test_money_that_is_wanted_is_taken_once_in_thousands_of_orders(story_of, fates, steps):
    comes_to_be_paid(story_of(fates), steps)


@pytest.mark.long
@in_any_order(1200, "let go", "let go")
def test_money_that_is_not_wanted_goes_back_once_in_thousands(story_of, fates, steps):
    comes_to_nothing(story_of(fates), steps)
