"""What a fan meets at the checkout and behind a booking's link."""

from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import transaction

from bookings.models import Booking, BookingState, Ticket
from bookings.services import issuing
from events.models import Fare
from inventory.models import EventSeat, Hold, SeatState
from payments.models import Payment
from tests.bookings.asking import BUYER, ask
from tests.bookings.conftest import session_of, tell_all
from tests.inventory.asking import lapse
from tests.reading import said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def test_the_buyer_must_be_known_before_money_is_asked_for(client, held):
    response = client.post(held + "checkout/", {"email": "nonsense"})

    assert response.status_code == 400
    assert "does not look like an email address" in said(response)
    assert "tell us your name" in said(response)
    assert not Booking.objects.exists()


def test_paying_leads_to_the_provider_and_back_to_the_tickets(
    client, event, held, provider_here, mailoutbox
):
    response = client.post(held + "checkout/", BUYER)
    booking = Booking.objects.get()
    assert response["Location"].startswith(provider_here.base_url)
    waiting = client.get(f"/bookings/{booking.secret}/")
    assert "Do not pay again" in said(waiting)

    provider_here.pay(session_of(booking))
    back = client.get(f"/bookings/{booking.secret}/return/")
    tell_all()
    page = client.get(back["Location"])

    assert "See you there" in said(page)
    assert page["Referrer-Policy"] == "no-referrer"
    tickets = Ticket.objects.order_by("pk")
    for ticket in tickets:
        shown = client.get(f"/bookings/{booking.secret}/tickets/{ticket.pk}/")
        assert "<svg" in shown.content.decode()
        pdf = client.get(f"/bookings/{booking.secret}/tickets/{ticket.pk}/ticket.pdf")
        assert pdf.content.startswith(b"%PDF")
    assert client.get(f"/bookings/{booking.secret}/tickets.pdf").content.startswith(b"%PDF")
    assert len(mailoutbox) == 1
    assert client.get(held)["Location"] == f"/bookings/{booking.secret}/"


@pytest.mark.parametrize("what", ["seats", "prices"])
def test_what_another_tab_changed_is_looked_at_before_it_is_paid(client, event, seats, held, what):
    agreed = client.get(held + "checkout/").context["agreed"]
    if what == "seats":
        client.post(held + "change/", {"seats": seats[4:6], "section": "stalls"})
    else:
        line, child = Hold.objects.get().lines.earliest("pk"), Fare.objects.get(name="Child")
        client.post(held + "prices/", {f"fare_{line.pk}": child.pk})

    answer = client.post(held + "checkout/", BUYER | {"agreed": agreed}, follow=True)

    assert answer.redirect_chain[-1][0] == held
    assert "changed meanwhile" in said(answer)
    assert not Booking.objects.exists()
    now = client.get(held + "checkout/").context["agreed"]
    client.post(held + "checkout/", BUYER | {"agreed": now})
    assert Booking.objects.count() == 1


def test_a_second_click_on_pay_joins_the_first(client, held):
    first = client.post(held + "checkout/", BUYER)
    second = client.post(held + "checkout/", BUYER)

    assert second["Location"] == first["Location"]
    assert Payment.objects.count() == 1


def test_who_comes_back_may_correct_the_address(client, held):
    client.post(held + "checkout/", BUYER | {"email": "adda@example.org"})
    assert 'value="adda@example.org"' in client.get(held + "checkout/").content.decode()

    client.post(held + "checkout/", BUYER)

    assert Booking.objects.get().email == "ada@example.org"


def test_prices_cannot_change_once_the_payment_has_begun(client, event, held):
    client.post(held + "checkout/", BUYER)
    line = Hold.objects.get().lines.earliest("pk")
    child = Fare.objects.get(event=event, name="Child")

    response = client.post(held + "prices/", {f"fare_{line.pk}": child.pk}, follow=True)

    assert "payment has begun" in said(response)
    assert "€100.00" in said(response)


def test_your_seats_lead_to_the_booking_when_late_money_took_the_same_seats(
    client, held, provider_here
):
    client.post(held + "checkout/", BUYER)
    booking = Booking.objects.get()
    lapse(booking)
    provider_here.pay(session_of(booking))

    client.get(f"/bookings/{booking.secret}/return/")

    assert Booking.objects.get().state == BookingState.CONFIRMED
    assert client.get(held)["Location"] == f"/bookings/{booking.secret}/"


def test_revoked_tickets_are_called_so_and_not_awaited_for_ever(client, held, provider_here):
    client.post(held + "checkout/", BUYER)
    booking = Booking.objects.get()
    provider_here.pay(session_of(booking))
    client.get(f"/bookings/{booking.secret}/return/")
    with transaction.atomic():
        issuing.issue(booking_id=booking.pk)
        issuing.revoke(booking_id=booking.pk)

    page = client.get(f"/bookings/{booking.secret}/")

    assert "These tickets are not valid" in said(page)
    assert "being made" not in said(page)
    assert "data-checking" not in page.content.decode()


def test_while_money_may_still_come_nothing_else_is_sold_to_the_fan(client, event, seats, held):
    client.post(held + "checkout/", BUYER)
    lapse(SimpleNamespace(hold_id=Hold.objects.get().pk))
    booking = Booking.objects.get()

    response = ask(client, event, seats[4:6])

    assert response["Location"] == f"/bookings/{booking.secret}/"
    assert Hold.objects.count() == 1


def test_a_silent_provider_is_said_in_words_and_the_seats_stay(
    client, held, provider_here, monkeypatch
):
    monkeypatch.setattr("payments.services.calls.PATIENCE", timedelta())
    provider_here.fault("500", "POST /v1/checkout/sessions", times=50)

    response = client.post(held + "checkout/", BUYER, follow=True)

    assert "We are checking your payment" in said(response)
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 2


def test_a_declined_card_is_said_at_the_checkout(client, held, provider_here):
    client.post(held + "checkout/", BUYER)
    booking = Booking.objects.get()
    provider_here.pay(session_of(booking), "4000000000000002")
    call_command("reconcile_payments", "--all")

    page = client.get(held + "checkout/")

    assert "The payment was declined" in said(page)
    assert Booking.objects.get().state == BookingState.PENDING


@pytest.mark.parametrize("door", ["", "return/", "tickets.pdf", "tickets/1/"])
def test_without_the_secret_there_is_nothing(client, door):
    assert client.get(f"/bookings/{uuid4().hex}/{door}").status_code == 404


def test_the_reference_opens_nothing(client, held):
    client.post(held + "checkout/", BUYER)

    assert client.get(f"/bookings/{Booking.objects.get().reference}/").status_code == 404
