"""Cancelling from the fan's page and from the admin: shown first, done once."""

import re

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from bookings.models import Booking, BookingState, Cancellation, Cause
from events.models import Event
from payments import selectors as payments
from tests import factories
from tests.bookings.cancellations.asking import buy, lines
from tests.bookings.conftest import tell_all
from tests.reading import said
from ticketing.ops import roles

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


@pytest.fixture
def event(transactional_db):
    return factories.opened_event()


@pytest.fixture
def sold(provider_here, event, sale, seats):
    """Two seats at 50.00 of which 10.00 each is kept; fans cancel until a day before."""
    Event.objects.filter(pk=event.pk).update(cancellation_fee_minor=1000, fans_cancel_hours=24)
    booking = buy(provider_here, sale, seats[:2])
    tell_all()
    return booking


@pytest.fixture
def address(sold):
    return f"/bookings/{sold.secret}/cancel/"


def refunded(booking):
    return payments.payment(booking.payment_reference).refunded.minor


def test_the_fan_sees_what_goes_back_and_gets_exactly_that(client, sold, address):
    assert f'href="{address}"' in client.get(f"/bookings/{sold.secret}/").content.decode()
    line = lines(sold)[0]

    form = client.get(address)
    assert form["Referrer-Policy"] == "same-origin"
    assert "no-referrer" not in form.content.decode()
    shown = client.post(address, {"lines": [line]})
    assert "Cancel and get €40.00 back" in said(shown)
    assert "€10.00 of what you paid for them is kept" in said(shown)
    assert not Cancellation.objects.exists()
    wish = {"lines": [line], "confirm": "1", "back_minor": "4000"}
    done = client.post(address, wish, follow=True)
    again = client.post(address, wish, follow=True)
    tell_all()

    assert "Cancelled. A mail" in said(done)
    assert again.status_code == 200
    assert refunded(sold) == 4000
    assert Cancellation.objects.get().cause == Cause.FAN
    assert "was given back" in said(client.get(f"/bookings/{sold.secret}/"))
    assert [sent.subject[:9] for sent in mail.outbox].count("Cancelled") == 1


def test_another_amount_than_was_shown_is_shown_again(client, sold, address):
    wish = {"lines": lines(sold), "confirm": "1", "back_minor": "10000"}

    page = client.post(address, wish)

    assert "please look at it again" in said(page)
    assert "Cancel and get €80.00 back" in said(page)
    assert not Cancellation.objects.exists()


@pytest.mark.parametrize("wish", [{}, {"lines": ["x"]}, {"lines": ["999999999"]}])
def test_a_form_that_says_nothing_cancels_nothing(client, sold, address, wish):
    for more in ({}, {"confirm": "1", "back_minor": "1"}, {"confirm": "1", "back_minor": "x"}):
        assert client.post(address, wish | more, follow=True).status_code in {200, 400}

    assert not Cancellation.objects.exists()


def test_tickets_of_another_booking_are_not_cancelled(client, provider_here, sale, seats, address):
    other = buy(provider_here, sale, seats[4:5], owner="b")

    client.post(address, {"lines": lines(other), "confirm": "1", "back_minor": "4000"})

    assert not Cancellation.objects.exists()


def test_where_fans_cannot_cancel_there_is_no_door(client, sold, address):
    Booking.objects.update(fans_cancel_until=timezone.now())

    assert "Cancel tickets" not in said(client.get(f"/bookings/{sold.secret}/"))
    page = client.post(
        address, {"lines": lines(sold), "confirm": "1", "back_minor": "8000"}, follow=True
    )

    assert "cannot be cancelled here" in said(page)
    assert not Cancellation.objects.exists()


@pytest.fixture
def desk(client):
    roles.ensure()
    user = factories.UserFactory.create(is_staff=True)
    user.groups.add(roles.group(roles.BOX_OFFICE))
    client.force_login(user)
    return client


def test_staff_cancel_with_a_look_and_a_reason_that_stays(desk, sold):
    page = reverse("admin:bookings_booking_change", args=[sold.pk])
    door = reverse("admin:bookings_booking_cancel", args=[sold.pk])
    assert door in desk.get(page).content.decode()
    assert "See what goes back" in said(desk.get(door))
    wish = {"lines": lines(sold), "why": "the fan is ill", "in_full": "on"}

    assert "field is required" in said(desk.post(door, {"lines": lines(sold)}))
    shown = desk.post(door, wish)
    assert "Goes back: €100.00" in said(shown)
    back = re.search(r'name="back_minor" value="(\d+)"', shown.content.decode())[1]
    for _ in range(2):
        done = desk.post(door, wish | {"confirm": "1", "back_minor": back}, follow=True)
    tell_all()

    assert "nothing to cancel" in said(done)
    made = Cancellation.objects.get()
    assert (made.cause, made.why, made.refund_minor) == (Cause.STAFF, "the fan is ill", 10000)
    assert "the fan is ill" in desk.get(page).content.decode()
    sold.refresh_from_db()
    assert sold.state == BookingState.CANCELLED
    assert refunded(sold) == 10000


def test_who_may_only_look_cancels_nothing(client, sold):
    roles.ensure()
    user = factories.UserFactory.create(is_staff=True)
    user.groups.add(roles.group(roles.ORGANIZERS))
    user.organizers.add(sold.event.organizer)
    client.force_login(user)
    door = reverse("admin:bookings_booking_cancel", args=[sold.pk])

    assert (
        door
        not in client.get(reverse("admin:bookings_booking_change", args=[sold.pk])).content.decode()
    )
    assert client.post(door, {"lines": lines(sold), "why": "x"}).status_code == 403
