"""The story that the fencing token is for: a browser that slept through its lease wakes and pays.

Two browsers, real processes, a provider that takes the card of both.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from django.utils import timezone

from bookings.models import Booking, BookingState, LapseReason, Ticket
from inventory.errors import HoldLost
from inventory.models import EventSeat, Hold, HoldState, SeatState
from inventory.services import holds
from payments.models import Payment, PaymentState
from tests import factories
from tests.inventory.asking import lapse, place
from tests.journeys import browser
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)
GOOD = "4242424242424242"


@pytest.mark.browser
def test_a_frozen_browser_wakes_and_pays_for_seats_that_are_another_fans(running, chromium_path):
    event = factories.opened_event(title="An evening with Ada")
    seats = ["Row A, seat 3", "Row A, seat 4"]

    with (
        browser.chromium(chromium_path) as chromium,
        browser.page(chromium, running.url) as frozen,
        browser.page(chromium, running.url) as quick,
    ):
        browser.choose_seats(frozen, f"/events/{event.slug}/", "Stalls", seats)
        browser.say_who(frozen)
        frozen.locator(f'input[name="card"][value="{GOOD}"]').check()
        # The lid is closed before he pays, and his lease ends; he is asked to pay all the same.
        first = elsewhere(let_the_only_hold_lapse)
        browser.choose_seats(quick, f"/events/{event.slug}/", "Stalls", seats)
        browser.say_who(quick)
        browser.pay(quick, GOOD)
        quick.get_by_role("heading", name="See you there").wait_for()

        frozen.get_by_role("button", name="Pay").click()
        frozen.get_by_role("heading", name="These seats could not be booked").wait_for()

    second = Hold.objects.get(state=HoldState.CONFIRMED)
    assert second.fencing_token > first.fencing_token
    owners = EventSeat.objects.filter(state=SeatState.BOOKED).values_list("hold_id", flat=True)
    assert list(owners) == [second.pk] * 2
    late = Booking.objects.get(state=BookingState.LAPSED)
    assert (late.hold_id, late.lapse_reason) == (first.pk, LapseReason.LATE)
    wait_until(lambda: state_of(late.payment_reference) == PaymentState.VOIDED)
    assert Ticket.objects.count() == 2
    assert list(audit.run()) == []


def state_of(reference):
    return Payment.objects.get(reference=reference).state


def wait_until(reached):
    """The money is given back by a fact that a worker is told of."""
    for _ in range(300):
        if reached():
            return
        time.sleep(0.1)
    pytest.fail("it never came to that")


def let_the_only_hold_lapse():
    hold = Hold.objects.get()
    lapse(SimpleNamespace(hold_id=hold.pk))
    connection.close()
    return hold


def elsewhere(act):
    """In another thread: this one runs the browser's loop, and Django would not ask from there."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(act).result()


def test_an_old_expiry_of_one_hold_cannot_release_the_next(sale, seats):
    """A worker found H1 lapsed and stood still; when it goes on, H2 has the seats."""
    first = place(sale, seats[:2], owner="ann")
    lapse(first)
    second = place(sale, seats[:2], owner="ben")
    now = timezone.now()

    with pytest.raises(HoldLost), transaction.atomic():
        holds.end([first.hold_id], HoldState.EXPIRED, now)
    assert not holds.release(reference=first.reference, owner="ann")
    with pytest.raises(HoldLost), transaction.atomic():
        holds.confirm(hold_id=first.hold_id, fencing_token=first.fencing_token)

    rows = EventSeat.objects.filter(pk__in=seats[:2])
    assert {(row.state, row.hold_id, row.fencing_token) for row in rows} == {
        (SeatState.HELD, second.hold_id, second.fencing_token)
    }
    assert list(audit.run()) == []
