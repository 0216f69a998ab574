"""Giving tickets back: some of a booking or all of it, with the money that is due."""

import itertools
import threading
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.utils import timezone

from bookings.errors import AnotherRefund, CancelledTooLate, NotCancellable
from bookings.models import (
    Booking,
    BookingState,
    Cancellation,
    Cause,
    Credential,
    Ticket,
    TicketState,
)
from bookings.services import cancellations, paying
from events import terms
from events.models import Event, Fee, FeeKind, Price
from inventory.models import AdmissionPool, EventSeat, SeatState
from inventory.services import blocks, cancelling, placing
from inventory.wishes import PoolWish, SeatWish, Wish
from payments import selectors as payments
from payments import stripe
from payments.models import Payment, PaymentState
from payments.services import charges, reconciliation, refunds
from tests import factories
from tests.bookings.conftest import hold_of, pay, session_of, start, tell_all
from tests.inventory.asking import confirm, place
from tests.races.rivals import race
from ticketing.kernel import audit
from ticketing.kernel.acting import Actor
from ticketing.kernel.models import OutboxMessage
from ticketing.kernel.money import Money

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]
STAFF = cancellations.Wish(Cause.STAFF, Actor(name="Grace"), "the fan is ill")
FAN = cancellations.Wish(Cause.FAN, cancellations.THE_FAN)


@pytest.fixture
def event(transactional_db):
    """50.00 a ticket, 3.00 of fees that stay with us, and 2.00 a booking that go back."""
    event = factories.opened_event(
        pool_capacity=10, fees={FeeKind.TICKET: 300, FeeKind.BOOKING: 200}
    )
    Fee.objects.filter(event=event, kind=FeeKind.TICKET).update(is_refundable=False)
    return event


def buy(provider, sale, seats, *, pools=(), owner="a"):
    """A booking that is paid, its money reserved; nothing was told of it yet."""
    booking = start(hold_of(place(sale, seats, pools=pools, owner=owner)), sale)
    pay(booking)
    provider.pay(session_of(booking))
    paying.refresh(booking=booking)
    booking.refresh_from_db()
    assert booking.state == BookingState.CONFIRMED
    return booking


@pytest.fixture
def sold(provider_here, sale, seats):
    """Three seats, captured, with tickets."""
    booking = buy(provider_here, sale, seats[:3])
    tell_all()
    return booking


def lines(booking):
    return list(booking.lines.order_by("position").values_list("pk", flat=True))


def cancel(booking, line_ids, wish=STAFF, **how):
    return cancellations.cancel(
        booking_id=booking.pk, line_ids=line_ids, wish=wish, at=timezone.now(), **how
    )


def money(booking):
    """What was taken and what was given back, as we know it and as the provider does."""
    payment = payments.payment(booking.payment_reference)
    return payment.captured.minor, payment.refunded.minor


def valid(booking):
    return Ticket.objects.filter(line__booking=booking, state=TicketState.VALID).count()


def in_order():
    assert [str(finding) for finding in audit.run()] == []


def test_one_ticket_of_three_goes_back_and_two_stay(sold, seats):
    two = lines(sold)[1]

    shown = cancellations.preview(booking=sold, line_ids=[two])
    cancel(sold, [two], expected=shown.back)
    tell_all()

    # 50.00 of 53.00: the ticket's fee is kept, the booking's stays with the booking.
    assert (shown.back, shown.kept) == (Money(5000, "EUR"), Money(300, "EUR"))
    assert money(sold) == (3 * 5300 + 200, 5000)
    assert valid(sold) == 2
    assert Credential.objects.filter(ticket__line=two, voided_at=None).count() == 0
    assert EventSeat.objects.get(pk=seats[1]).state == SeatState.AVAILABLE
    sold.refresh_from_db()
    assert sold.state == BookingState.CONFIRMED
    in_order()


def test_the_last_ticket_ends_the_booking_and_brings_its_fee_back(sold):
    cancel(sold, lines(sold)[:2])
    shown = cancellations.preview(booking=sold, line_ids=lines(sold)[2:])
    cancel(sold, lines(sold)[2:])
    tell_all()

    assert (shown.back.minor, shown.booking_fee.minor, shown.is_whole) == (5200, 200, True)
    assert money(sold) == (16100, 15200)
    sold.refresh_from_db()
    assert sold.state == BookingState.CANCELLED
    assert valid(sold) == 0
    in_order()


def test_a_booking_fee_that_is_not_refundable_stays(provider_here, event, seats):
    Fee.objects.filter(event=event, kind=FeeKind.BOOKING).update(is_refundable=False)
    booking = buy(provider_here, terms.of(event.pk), seats[:1])
    tell_all()

    cancel(booking, lines(booking))
    tell_all()

    assert money(booking) == (5500, 5000)
    booking.refresh_from_db()
    assert booking.state == BookingState.CANCELLED
    in_order()


def test_the_policy_is_the_one_of_the_purchase(provider_here, event, seats):
    Event.objects.filter(pk=event.pk).update(cancellation_fee_minor=1000, fans_cancel_hours=24)
    booking = buy(provider_here, terms.of(event.pk), seats[:1])
    Event.objects.filter(pk=event.pk).update(cancellation_fee_minor=0, fans_cancel_hours=None)
    Fee.objects.update(is_refundable=True)

    shown = cancellations.preview(booking=booking, line_ids=lines(booking))

    assert shown.back == Money(4000 + 200, "EUR")
    assert booking.fans_cancel_until == event.starts_at - timedelta(hours=24)


def test_no_more_is_kept_than_a_ticket_cost(provider_here, event, seats):
    Event.objects.filter(pk=event.pk).update(cancellation_fee_minor=99_00)

    booking = buy(provider_here, terms.of(event.pk), seats[:1])

    assert cancellations.preview(booking=booking, line_ids=lines(booking)).back.minor == 200


def test_staff_may_keep_nothing(sold):
    wish = cancellations.Wish(Cause.STAFF, Actor(name="Grace"), "kindness", in_full=True)

    cancel(sold, lines(sold), wish)
    tell_all()

    assert money(sold) == (16100, 16100)


def test_fans_cancel_only_where_the_policy_allows_it_and_in_time(provider_here, event, seats):
    booking = buy(provider_here, terms.of(event.pk), seats[:1])
    with pytest.raises(CancelledTooLate):
        cancel(booking, lines(booking), FAN)

    until = timezone.now() + timedelta(hours=1)
    Booking.objects.update(fans_cancel_until=until)
    with pytest.raises(CancelledTooLate):
        cancellations.cancel(booking_id=booking.pk, line_ids=lines(booking), wish=FAN, at=until)

    assert cancel(booking, lines(booking), FAN)
    assert Cancellation.objects.get().who == "the fan"


def test_a_second_click_changes_nothing(sold):
    first = cancel(sold, lines(sold)[:2])

    assert cancel(sold, lines(sold)[:2]) is None
    tell_all()
    assert cancel(sold, lines(sold)[:1]) is None
    tell_all()

    assert first
    assert money(sold) == (16100, 10000)
    assert len([sent for sent in mail.outbox if sent.subject.startswith("Cancelled")]) == 1


def test_a_click_on_lines_of_which_some_are_gone_is_refused(sold):
    cancel(sold, lines(sold)[:1])

    with pytest.raises(NotCancellable):
        cancel(sold, lines(sold)[:2])
    with pytest.raises(NotCancellable):
        cancel(sold, [*lines(sold)[1:], 10**9])
    with pytest.raises(NotCancellable):
        cancel(sold, [])


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


def test_without_the_bookings_lock_the_money_would_go_back_twice(sold, monkeypatch):
    """The control: both believe that the line is still sold; the seats' own guard is left."""
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


def test_tickets_that_were_not_made_yet_are_not_made_for_cancelled_lines(
    provider_here, sale, seats
):
    booking = buy(provider_here, sale, seats[:3])

    cancel(booking, lines(booking)[:1])
    tell_all()

    assert Ticket.objects.filter(line__booking=booking).count() == 2
    assert money(booking) == (16100, 5000)
    in_order()


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


def test_places_of_a_pool_go_back_ticket_by_ticket(provider_here, event, seats):
    family = factories.add_fare(event, "Family", price_minor=12000, places=4)
    pool = AdmissionPool.objects.get(event=event)
    sale = terms.of(event.pk)
    placed = place(sale, [], pools=[(pool.pk, 8)], fare=family, owner="a")
    booking = start(hold_of(placed), sale)
    pay(booking)
    provider_here.pay(session_of(booking))
    paying.refresh(booking=booking)
    booking.refresh_from_db()
    tell_all()
    assert booking.lines.count() == 2

    cancel(booking, lines(booking)[:1])
    tell_all()

    pool.refresh_from_db()
    assert pool.booked == 4
    in_order()


def test_the_seat_is_anybodys_at_once_and_stays_so(provider_here, sold, sale, seats):
    cancel(sold, lines(sold)[:1])

    rival = place(sale, seats[:1], owner="b")
    confirm(rival)
    assert cancel(sold, lines(sold)[:1]) is None
    cancel(sold, lines(sold)[1:])
    tell_all()

    assert EventSeat.objects.get(pk=seats[0]).hold_id == rival.hold_id


def test_whoever_cancels_says_where_the_seats_go(event, sold, seats):
    block = blocks.block(
        event_id=event.pk, seat_ids=seats[10:11], kind=blocks.HOUSE, reason="house"
    )

    cancel(sold, lines(sold)[:1], returns_to=block)

    assert EventSeat.objects.get(pk=seats[0]).block_id == block


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


def test_a_booking_that_is_not_sold_cannot_be_cancelled(provider_here, sale, seats):
    booking = start(hold_of(place(sale, seats[:2], owner="a")), sale)
    pay(booking)

    with pytest.raises(NotCancellable):
        cancel(booking, lines(booking))


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


def test_the_mail_says_what_goes_back_and_what_is_kept(sold):
    cancel(sold, lines(sold)[:1])
    tell_all()

    told = mail.outbox[-1]
    assert told.to == [sold.email]
    assert "We give back €50.00" in told.body
    assert "€3.00 are kept" in told.body
    assert "Your other tickets stay valid" in told.body
