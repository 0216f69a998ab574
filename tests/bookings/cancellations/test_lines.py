"""Giving tickets back: some of a booking or all of it, by the policy of the purchase."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from bookings.errors import CancelledTooLate, NotCancellable
from bookings.models import (
    Booking,
    BookingState,
    Cancellation,
    Cause,
    Credential,
    Ticket,
)
from bookings.services import cancellations, paying
from events import terms
from events.models import Event, Fee, FeeKind
from inventory.models import AdmissionPool, EventSeat, SeatState
from inventory.services import blocks
from tests import factories
from tests.bookings.cancellations.asking import FAN, buy, cancel, in_order, lines, money, valid
from tests.bookings.conftest import hold_of, pay, session_of, start, tell_all
from tests.inventory.asking import confirm, place
from ticketing.kernel.acting import Actor
from ticketing.kernel.money import Money

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


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


def test_tickets_that_were_not_made_yet_are_not_made_for_cancelled_lines(
    provider_here, sale, seats
):
    booking = buy(provider_here, sale, seats[:3])

    cancel(booking, lines(booking)[:1])
    tell_all()

    assert Ticket.objects.filter(line__booking=booking).count() == 2
    assert money(booking) == (16100, 5000)
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


def test_a_booking_that_is_not_sold_cannot_be_cancelled(provider_here, sale, seats):
    booking = start(hold_of(place(sale, seats[:2], owner="a")), sale)
    pay(booking)

    with pytest.raises(NotCancellable):
        cancel(booking, lines(booking))


def test_the_mail_says_what_goes_back_and_what_is_kept(sold):
    cancel(sold, lines(sold)[:1])
    tell_all()

    told = mail.outbox[-1]
    assert told.to == [sold.email]
    assert "We give back €50.00" in told.body
    assert "€3.00 are kept" in told.body
    assert "Your other tickets stay valid" in told.body
