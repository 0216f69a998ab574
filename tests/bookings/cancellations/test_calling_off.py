"""An event is called off: every booking cancelled, all money back, each buyer told once."""

from functools import partial
from io import StringIO

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from bookings.models import Booking, BookingState, Cancellation, Cause, Ticket, TicketState
from bookings.services import calling_off, cancellations, paying
from bookings.tasks import call_off
from events.models import Event, Fee, FeeKind
from events.services import programme
from inventory.models import EventSeat, SeatState
from payments import selectors as payments
from tests import factories
from tests.bookings.cancellations.asking import STAFF, buy, cancel, in_order, lines
from tests.bookings.conftest import hold_of, pay, session_of, start, tell_all
from tests.inventory.asking import place
from tests.races.rivals import race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]
BUYERS = 4


@pytest.fixture
def event(transactional_db):
    """With fees that no single fan would get back."""
    event = factories.opened_event(
        fees={FeeKind.TICKET: 300, FeeKind.BOOKING: 200},
        limit_per_fan=50,
        cancellation_fee_minor=1000,
    )
    Fee.objects.update(is_refundable=False)
    return event


@pytest.fixture
def sold(provider_here, sale, seats):
    """Four bookings of two seats each; the first has one seat left, the last has no tickets yet."""
    bookings = []
    for number in range(BUYERS):
        own = seats[2 * number : 2 * number + 2]
        bookings.append(buy(provider_here, sale, own, owner=f"fan {number}"))
        if number < BUYERS - 1:
            tell_all()
    cancel(bookings[0], lines(bookings[0])[:1])
    return bookings


def batch(limit=100):
    return calling_off.cancel_batch(at=timezone.now(), limit=limit)


def called_off_and_paid_back(bookings, seats):
    tell_all()
    assert {Booking.objects.get(pk=each.pk).state for each in bookings} == {BookingState.CANCELLED}
    assert not Ticket.objects.filter(state=TicketState.VALID).exists()
    assert not EventSeat.objects.filter(state=SeatState.BOOKED).exists()
    kept = [
        each.amount_minor - sum(c.refund_minor for c in each.cancellations.all())
        for each in bookings
    ]
    # Of the ticket that was given back before, what had been agreed.
    assert kept == [1300, 0, 0, 0]
    for each in bookings:
        money = payments.payment(each.payment_reference)
        assert money.is_over or money.captured.minor - money.refunded.minor == 1300
    told = [sent for sent in mail.outbox if sent.subject.startswith("Called off")]
    assert len(told) == len(bookings)
    assert "does not take place" in told[0].body
    in_order()


def test_nothing_is_cancelled_of_an_event_that_takes_place(sold):
    assert batch() == 0


def test_the_task_goes_on_from_where_a_crash_left_it(event, sold, seats):
    programme.cancel(event_id=event.pk, at=timezone.now())

    assert batch(limit=1) == 1
    tell_all()
    assert calling_off.progress(event.pk) == calling_off.Progress(1, BUYERS - 1, 0)
    assert call_off.run(limit=2) == 2
    assert call_off.run() == 1
    assert call_off.run() == 0

    called_off_and_paid_back(sold, seats)


def test_the_command_says_how_far_it_is_and_may_be_run_again(event, sold, seats):
    said = StringIO()

    call_command("cancel_event", event.slug, "--progress", stdout=said)
    assert Event.objects.get(pk=event.pk).state == "published"
    call_command("cancel_event", event.slug, "--batch", "3", stdout=said)
    call_command("cancel_event", event.slug, stdout=said)

    assert f"Bookings cancelled: 0. Still sold: {BUYERS}." in said.getvalue()
    assert "Bookings cancelled: 3. Still sold: 1." in said.getvalue()
    assert f"Bookings cancelled: {BUYERS}. Still sold: 0." in said.getvalue()
    called_off_and_paid_back(sold, seats)


def test_workers_at_once_beside_staff_cancel_each_booking_once(event, sold, seats):
    programme.cancel(event_id=event.pk, at=timezone.now())
    staff = cancellations.Wish(Cause.STAFF, STAFF.by, "at the same time", in_full=True)

    race([batch, batch, batch, partial(cancel, sold[1], lines(sold[1]), staff)])
    batch()

    assert Cancellation.objects.count() == BUYERS + 1
    tell_all()
    in_order()


def test_a_booking_that_cannot_be_cancelled_holds_up_no_other(event, sold, monkeypatch):
    programme.cancel(event_id=event.pk, at=timezone.now())
    give_back = cancellations._give_back

    def refuse(booking, *args):
        if booking.pk == sold[0].pk:
            raise RuntimeError("never mind why")
        give_back(booking, *args)

    monkeypatch.setattr(cancellations, "_give_back", refuse)

    with pytest.raises(CommandError, match="could not be cancelled"):
        call_command("cancel_event", event.slug, stdout=StringIO())

    assert calling_off.progress(event.pk).sold == 1


def test_what_is_paid_while_the_event_is_called_off_goes_back_too(
    event, provider_here, sale, seats
):
    booking = start(hold_of(place(sale, seats[:2], owner="a")), sale)
    pay(booking)
    programme.cancel(event_id=event.pk, at=timezone.now())
    provider_here.pay(session_of(booking))

    paying.refresh(booking=booking)
    batch()
    tell_all()

    booking.refresh_from_db()
    assert booking.state == BookingState.CANCELLED
    assert payments.payment(booking.payment_reference).is_over
    in_order()


def test_an_unknown_event_and_a_draft_are_said_to_be_so(transactional_db):
    draft = factories.draft_event()

    with pytest.raises(CommandError, match="There is no event"):
        call_command("cancel_event", "nowhere")
    with pytest.raises(CommandError, match="is a draft"):
        call_command("cancel_event", draft.slug)
