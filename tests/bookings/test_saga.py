"""From a hold to tickets, with a real database and the local provider in its own process."""

import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.utils import timezone

from bookings.errors import BookingLapsed
from bookings.models import Booking, BookingState, LapseReason, Ticket, TicketState
from bookings.services import checkout, paying
from events import terms
from events.models import Event, Price
from inventory import selectors
from inventory.errors import HoldLost
from inventory.models import EventSeat, SeatState
from inventory.services import changing, holds, placing
from inventory.wishes import SeatWish, Wish
from payments import selectors as payments
from payments.errors import ProviderRejected
from payments.models import Payment
from payments.services import reconciliation
from tests.bookings.conftest import hold_of, pay, session_of, start, tell_all
from tests.inventory.asking import confirm, lapse, place
from tests.races.rivals import race, wait_until_somebody_waits
from ticketing.kernel import audit
from ticketing.kernel.models import OutboxMessage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def state_of(booking):
    booking.refresh_from_db()
    return booking.state


def test_a_paid_hold_becomes_a_booking_with_tickets_money_and_one_mail(
    provider_here, booking, seats
):
    provider_here.pay(session_of(booking))

    paying.refresh(booking=booking)
    assert state_of(booking) == BookingState.CONFIRMED
    tell_all()

    assert EventSeat.objects.filter(pk__in=seats[:2], state=SeatState.BOOKED).count() == 2
    assert Ticket.objects.filter(line__booking=booking, state=TicketState.VALID).count() == 2
    money = payments.payment(booking.payment_reference)
    assert money.captured == booking.total
    [sent] = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert booking.secret in sent.body
    assert list(audit.run()) == []


def test_what_was_changed_since_it_was_looked_at_is_not_booked(hold, sale, seats):
    wish = Wish(seats=(SeatWish(seats[4]),))
    changing.change(reference=hold.reference, owner="a", terms=sale, wish=wish)

    with pytest.raises(HoldLost):
        start(hold, sale)

    assert not Booking.objects.exists()
    assert selectors.hold_by_id(hold.id).payment_started_at is None


def test_starting_twice_is_one_booking(hold, sale):
    outcomes = race([lambda: start(hold, sale).pk] * 5)

    assert len({outcome.value for outcome in outcomes}) == 1
    assert Booking.objects.count() == 1


def test_a_correction_while_the_money_arrives_waits_its_turn(booking, hold, sale, monkeypatch):
    """The form comes again when confirm has the booking's row and not yet the hold's."""
    met = []

    def correct():
        try:
            start(hold, sale)
        except Exception as refusal:
            met.append(type(refusal))
        finally:
            connection.close()

    again, sell = threading.Thread(target=correct), holds.confirm

    def sell_while_it_comes(**wish):
        again.start()
        wait_until_somebody_waits()
        sell(**wish)

    monkeypatch.setattr(holds, "confirm", sell_while_it_comes)

    checkout.confirm(booking=booking)
    again.join()

    assert met == [HoldLost]
    assert state_of(booking) == BookingState.CONFIRMED


def test_paying_twice_is_one_payment(booking):
    first = payments.payment(booking.payment_reference)

    assert pay(booking).checkout_url == first.checkout_url


def test_the_amount_is_frozen_when_the_booking_starts(hold, sale):
    Price.objects.update(amount_minor=9900)

    booking = start(hold, sale)

    assert booking.amount_minor == 2 * 5000
    assert [line.price_minor for line in booking.lines.all()] == [5000, 5000]


def test_whoever_learns_of_the_money_first_or_last_there_is_one_booking(provider_here, booking):
    provider_here.pay(session_of(booking))

    race([lambda: paying.refresh(booking=Booking.objects.get(pk=booking.pk))] * 6)
    tell_all()
    OutboxMessage.objects.update(done_at=None, available_at=timezone.now())
    tell_all()

    assert OutboxMessage.objects.filter(topic="bookings.booking_confirmed").count() == 1
    assert Ticket.objects.count() == 2
    assert len(mail.outbox) == 1
    assert payments.payment(booking.payment_reference).captured == booking.total
    assert list(audit.run()) == []


def test_money_after_the_seats_were_resold_goes_back_and_the_seats_stay(
    provider_here, booking, sale, seats
):
    lapse(booking)
    rival = place(sale, seats[:1], owner="b")
    confirm(rival)
    provider_here.pay(session_of(booking))

    paying.refresh(booking=booking)
    tell_all()

    assert state_of(booking) == BookingState.LAPSED
    assert booking.lapse_reason == LapseReason.LATE
    money = payments.payment(booking.payment_reference)
    assert money.is_over
    assert not money.captured.minor
    assert EventSeat.objects.get(pk=seats[0]).hold_id == rival.hold_id
    assert not Ticket.objects.exists()
    assert [sent.subject for sent in mail.outbox] == ["No tickets this time for " + title(booking)]


def test_money_after_the_lease_takes_the_same_seats_if_all_are_free(provider_here, booking, seats):
    old_token = booking.fencing_token
    lapse(booking)
    provider_here.pay(session_of(booking))

    paying.refresh(booking=booking)
    tell_all()

    assert state_of(booking) == BookingState.CONFIRMED
    assert booking.fencing_token > old_token
    owned = EventSeat.objects.filter(state=SeatState.BOOKED, hold_id=booking.hold_id)
    assert set(owned.values_list("pk", flat=True)) == set(seats[:2])
    assert list(audit.run()) == []


def test_two_who_learn_of_late_money_at_once_take_the_seats_once(
    provider_here, booking, monkeypatch
):
    lapse(booking)
    provider_here.pay(session_of(booking))
    take = placing.place

    def the_other_first(**wish):
        placed = take(**wish)
        monkeypatch.setattr(placing, "place", take)
        paying.settle(booking=Booking.objects.get(pk=booking.pk))
        return placed

    monkeypatch.setattr(placing, "place", the_other_first)

    paying.refresh(booking=booking)
    tell_all()

    assert state_of(booking) == BookingState.CONFIRMED
    assert list(audit.run()) == []


def test_money_after_the_sale_was_paused_takes_no_seats(provider_here, booking, event):
    lapse(booking)
    Event.objects.filter(pk=event.pk).update(is_paused=True)
    provider_here.pay(session_of(booking))

    paying.refresh(booking=booking)

    assert state_of(booking) == BookingState.LAPSED


def test_a_frozen_browser_cannot_confirm_with_its_old_token(booking, sale, seats):
    lapse(booking)
    rival = place(sale, seats[:2], owner="b")

    with pytest.raises(HoldLost):
        checkout.confirm(booking=booking)

    assert state_of(booking) == BookingState.PENDING
    owners = EventSeat.objects.filter(pk__in=seats[:2]).values_list("hold_id", flat=True)
    assert set(owners) == {rival.hold_id}


def test_the_same_fans_new_hold_is_not_the_old_bookings(booking, sale, seats):
    lapse(booking)
    again = place(sale, seats[:2], owner="a")
    Booking.objects.filter(pk=booking.pk).update(hold_id=again.hold_id)
    booking.refresh_from_db()

    with pytest.raises(HoldLost):
        checkout.confirm(booking=booking)


def test_letting_go_closes_the_payment_and_frees_the_seats(provider_here, booking, hold, seats):
    session = session_of(booking)

    paying.let_go(hold=hold)

    assert state_of(booking) == BookingState.LAPSED
    assert booking.lapse_reason == LapseReason.LET_GO
    assert provider_here.client().v1.checkout.sessions.retrieve(session).status == "expired"
    assert not EventSeat.objects.exclude(state=SeatState.AVAILABLE).exists()


def test_letting_go_too_late_takes_nothing_from_what_another_tab_just_paid(
    provider_here, booking, hold, monkeypatch
):
    provider_here.pay(session_of(booking))
    release = holds.release

    def the_other_tab_first(**wish):
        paying.refresh(booking=Booking.objects.get(pk=booking.pk))
        return release(**wish)

    monkeypatch.setattr(holds, "release", the_other_tab_first)

    assert not paying.let_go(hold=hold)
    tell_all()

    assert state_of(booking) == BookingState.CONFIRMED
    assert payments.payment(booking.payment_reference).captured == booking.total
    assert list(audit.run()) == []


def test_letting_go_works_though_the_provider_refuses_to_close_the_page(booking, hold, monkeypatch):
    def refuse(*_, **__):
        raise ProviderRejected("this key may not do that")

    monkeypatch.setattr("payments.stripe.StripeGateway.expire", refuse)

    assert paying.let_go(hold=hold)

    assert not EventSeat.objects.exclude(state=SeatState.AVAILABLE).exists()
    assert Payment.objects.get(reference=booking.payment_reference).unwanted_at


def test_an_abandoned_payment_ends_at_the_provider_before_the_lease(provider_here, booking, hold):
    session = session_of(booking)
    deadline = payments.payment(booking.payment_reference).deadline_at

    reconciliation.reconcile_batch(at=deadline - timedelta(seconds=10), limit=10)
    lapse(booking)
    assert paying.sweep(limit=10) == 1

    assert provider_here.client().v1.checkout.sessions.retrieve(session).status == "expired"
    assert state_of(booking) == BookingState.LAPSED
    assert booking.lapse_reason == LapseReason.UNPAID


def test_a_booking_waits_for_an_open_payment_even_without_its_hold(booking):
    lapse(booking)

    assert paying.sweep(limit=10) == 0

    assert state_of(booking) == BookingState.PENDING


def test_a_booking_that_cannot_be_settled_holds_up_no_other(hold, sale, seats, monkeypatch):
    stuck = start(hold, sale)
    other = start(hold_of(place(sale, seats[2:4], owner="b")), sale)
    lapse(stuck)
    lapse(other)
    end = checkout.lapse

    def refuse(*, booking, reason):
        if booking == stuck:
            raise RuntimeError("never mind why")
        return end(booking=booking, reason=reason)

    monkeypatch.setattr(checkout, "lapse", refuse)

    assert paying.sweep(limit=10) == 1

    assert state_of(other) == BookingState.LAPSED


def test_paying_for_seats_that_are_gone_is_refused_before_the_provider_is_asked(hold, sale):
    booking = start(hold, sale)
    lapse(booking)

    with pytest.raises(BookingLapsed):
        pay(booking)

    assert payments.payment(booking.payment_reference) is None


def test_a_free_booking_needs_no_provider(provider_here, event, sale, seats):
    Price.objects.update(amount_minor=0)
    provider_here.fault("500", times=100)
    free = terms.of(event.pk)
    booking = start(hold_of(place(free, seats[2:4], owner="f")), free)
    pay(booking)
    tell_all()

    assert state_of(booking) == BookingState.CONFIRMED
    assert Ticket.objects.filter(line__booking=booking).count() == 2
    assert list(audit.run()) == []


def test_a_provider_that_is_silent_leaves_the_booking_pending_and_unknown(
    provider_here, hold, sale, monkeypatch
):
    monkeypatch.setattr("payments.services.calls.PATIENCE", timedelta())
    provider_here.fault("500", "POST /v1/checkout/sessions", times=50)
    booking = start(hold, sale)

    payment = pay(booking)

    assert payment.is_unknown
    assert state_of(booking) == BookingState.PENDING


def title(booking):
    return Event.objects.get(pk=booking.event_id).title
