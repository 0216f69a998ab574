"""The money of what is cancelled: once, and never more than is left, whoever else moved some."""

import itertools
import threading
from functools import partial

import pytest
from django.core import mail
from django.utils import timezone

from bookings.errors import AnotherRefund
from bookings.models import (
    Booking,
    BookingState,
    Cancellation,
    Cause,
)
from bookings.services import cancellations, paying
from events import terms
from events.models import Fee, Price
from inventory.models import AdmissionPool, EventSeat, SeatState
from inventory.services import cancelling, placing
from inventory.wishes import PoolWish, SeatWish, Wish
from payments import selectors as payments
from payments import stripe
from payments.models import Payment, PaymentState
from payments.services import charges, reconciliation, refunds
from tests.bookings.cancellations.asking import (
    buy,
    cancel,
    in_order,
    lines,
    money,
    valid,
)
from tests.bookings.conftest import hold_of, pay, session_of, start, tell_all
from tests.inventory.asking import place
from tests.races.rivals import race
from ticketing.kernel import audit
from ticketing.kernel.acting import Actor
from ticketing.kernel.models import OutboxMessage
from ticketing.kernel.money import Money

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def test_what_was_shown_is_what_is_given_back_or_nothing_happens(sold):
    with pytest.raises(AnotherRefund):
        cancel(sold, lines(sold)[:1], expected=Money(5300, "EUR"))

    assert not Cancellation.objects.exists()
    assert valid(sold) == 3


@pytest.mark.parametrize("rivals", [2, 6])
def test_clicks_at_once_are_one_cancellation_and_one_refund(sold, rivals):
    outcomes = race([partial(cancel, sold, lines(sold)[:2])] * rivals)
    tell_all()

    assert {outcome.refusal for outcome in outcomes} == {None}
    assert len([outcome.value for outcome in outcomes if outcome.value]) == 1
    assert money(sold) == (16100, 10000)
    in_order()


def test_two_tabs_that_share_a_line_give_it_back_once(sold):
    one, two, three = lines(sold)

    race([partial(cancel, sold, [one, two]), partial(cancel, sold, [two, three])])
    tell_all()

    assert Cancellation.objects.count() == 1
    assert money(sold) == (16100, 10000)
    in_order()


def test_without_the_bookings_lock_the_payments_stands(sold, monkeypatch):
    monkeypatch.setattr(Booking.objects, "select_for_update", Booking.objects.all)

    race([partial(cancel, sold, lines(sold)[:2])] * 6)
    tell_all()

    assert Cancellation.objects.count() == 1
    assert money(sold) == (16100, 10000)
    in_order()


def test_without_any_guard_the_money_would_be_promised_twice(sold, monkeypatch):
    """The control: no lock of booking and payment, and nobody compares whose the places are."""
    work_out, both = cancellations._work_out, threading.Barrier(2, timeout=20)

    def together(*args, **named):
        worked_out = work_out(*args, **named)
        both.wait()
        return worked_out

    monkeypatch.setattr(cancellations, "_work_out", together)
    monkeypatch.setattr(Booking.objects, "select_for_update", Booking.objects.all)
    monkeypatch.setattr(refunds, "lock_and_count_left", lambda _: Money(16100, "EUR"))
    monkeypatch.setattr(cancelling, "cancel", lambda **_: None)

    race([partial(cancel, sold, lines(sold)[:1])] * 2)

    assert Cancellation.objects.count() == 2
    assert list(audit.run()) != []


def test_all_of_it_in_full_before_the_money_is_taken_moves_no_money(provider_here, sale, seats):
    booking = buy(provider_here, sale, seats[:2])
    wish = cancellations.Wish(Cause.STAFF, Actor(name="Grace"), "typo", in_full=True)

    cancel(booking, lines(booking), wish)
    tell_all()

    assert payments.payment(booking.payment_reference).state == PaymentState.VOIDED
    assert money(booking) == (0, 0)
    # He never had tickets, and hears only that he has none.
    assert [sent.subject.partition(":")[0] for sent in mail.outbox] == ["Cancelled"]
    in_order()


@pytest.mark.parametrize("mode", ["timeout_before", "timeout_after"])
def test_a_cancellation_beside_a_capture_nobody_heard_of(
    provider_here, sale, seats, mode, monkeypatch
):
    monkeypatch.setattr("payments.stripe.READ_SECONDS", 0.5)
    stripe._client.cache_clear()
    booking = buy(provider_here, sale, seats[:2])
    provider_here.fault(mode, "/capture", times=1)
    tell_all()
    wish = cancellations.Wish(Cause.STAFF, Actor(name="Grace"), "ill", in_full=True)

    cancel(booking, lines(booking), wish)
    tell_all()
    reconciliation.hasten(at=timezone.now())
    reconciliation.reconcile_batch(at=timezone.now(), limit=10)
    stripe._client.cache_clear()

    assert money(booking) == (10800, 10800)
    in_order()


def test_free_tickets_go_back_without_money(provider_here, event, seats):
    Price.objects.update(amount_minor=0)
    Fee.objects.all().delete()
    sale = terms.of(event.pk)
    booking = start(hold_of(place(sale, seats[:2], owner="f")), sale)
    pay(booking)
    tell_all()

    cancel(booking, lines(booking))
    tell_all()

    booking.refresh_from_db()
    assert booking.state == BookingState.CANCELLED
    assert "nothing to give back" in mail.outbox[-1].body
    in_order()


def test_a_part_that_was_given_back_in_the_dashboard_is_not_given_twice(provider_here, sold):
    give_back_there(provider_here, sold, 14000)
    charges.refresh(reference=sold.payment_reference)

    shown = cancellations.preview(booking=sold, line_ids=lines(sold))
    cancel(sold, lines(sold))
    tell_all()

    assert shown.back == Money(2100, "EUR")
    assert money(sold) == (16100, 16100)
    in_order()


def give_back_there(provider, booking, minor):
    intent = Payment.objects.get(reference=booking.payment_reference).provider_intent
    provider.client().v1.refunds.create({"payment_intent": intent, "amount": minor})


def test_all_of_it_given_back_in_the_dashboard_cancels_the_booking_once(provider_here, sold, seats):
    give_back_there(provider_here, sold, 16100)

    charges.refresh(reference=sold.payment_reference)
    tell_all()
    OutboxMessage.objects.update(done_at=None, available_at=timezone.now())
    charges.refresh(reference=sold.payment_reference)
    tell_all()

    sold.refresh_from_db()
    assert sold.state == BookingState.CANCELLED
    assert Cancellation.objects.get().cause == Cause.PAID_BACK
    assert EventSeat.objects.filter(pk__in=seats[:3], state=SeatState.AVAILABLE).count() == 3
    assert money(sold) == (16100, 16100)
    in_order()


def test_a_free_ticket_stays_when_the_paid_one_goes_back(provider_here, event, seats):
    Fee.objects.all().delete()
    child = event.fares.get(name="Child")
    Price.objects.filter(fare=child).update(amount_minor=0)
    pool = AdmissionPool.objects.get(event=event)
    sale = terms.of(event.pk)
    booking = buy_two(provider_here, sale, seats[0], pool.pk, child.pk)
    adult = booking.lines.get(seat__isnull=False)

    cancel(booking, [adult.pk])
    tell_all()

    assert money(booking) == (5000, 5000)
    assert valid(booking) == 1
    in_order()


def buy_two(provider, sale, seat, pool, fare):
    """A seat at the first fare, and a place of a pool at another."""
    wish = Wish(seats=(SeatWish(seat),), pools=(PoolWish(pool, 1, fare),))
    placed = placing.place(terms=sale, owner="a", key="k", wish=wish)
    booking = start(hold_of(placed), sale)
    pay(booking)
    provider.pay(session_of(booking))
    paying.refresh(booking=booking)
    booking.refresh_from_db()
    return booking


def test_every_way_to_cancel_three_lines_gives_back_the_same(provider_here, sale, seats):
    """Whatever is cancelled together, and in which order: the sum is the same."""
    sums = set()
    for number, order in enumerate(itertools.permutations(range(3))):
        cut = number % 3 + 1
        booking = buy(provider_here, sale, seats[:3], owner=f"fan {number}")
        ids = [lines(booking)[n] for n in order]
        cancel(booking, ids[:cut])
        if ids[cut:]:
            cancel(booking, ids[cut:])
        promised = Cancellation.objects.filter(booking=booking)
        sums.add(sum(promised.values_list("refund_minor", flat=True)))

    assert sums == {3 * 5000 + 200}
