"""What a fan meets at the doors to a hold."""

import re
import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.utils import timezone

from events.models import Event, Fare, OnSale
from inventory.models import AdmissionPool, EventSeat, Hold, HoldState, SeatState
from tests import factories
from tests.bookings.asking import BUYER, ask
from tests.inventory.asking import lapse, place
from tests.reading import said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def test_a_form_holds_the_ticked_seats_and_leads_to_them(client, event, seats):
    response = ask(client, event, seats[:2])

    assert response.status_code == 302
    page = client.get(response["Location"])
    assert "Row A, seat 1" in said(page)
    assert "€100.00" in said(page)
    assert "no-store" in page["Cache-Control"]
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 2


def test_what_no_database_can_keep_is_refused_in_words(client, event, seats):
    response = ask(client, event, seats[:1], idempotency_key="nothing\0ness")

    assert response.status_code == 400
    assert "Load the page again" in said(response)
    assert client.get("/bookings/nothing%00ness/").status_code == 404
    assert not Hold.objects.exists()


def test_the_first_form_of_a_new_fan_sent_twice_at_once_is_one_hold(event, seats):
    """Neither answer was there when the other was sent, so neither brings a visitor's name."""
    page = Client(enforce_csrf_checks=True)
    page.get(f"/events/{event.slug}/seats/stalls/")
    token = page.cookies["csrftoken"].value
    kept = {"cookie": f"csrftoken={token}"}
    taps = [Client(enforce_csrf_checks=True, headers=kept) for _ in range(2)]

    answers = [ask(tap, event, seats[:2], csrfmiddlewaretoken=token) for tap in taps]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert len({tap.cookies["visitor"].value.partition(":")[0] for tap in taps}) == 1


def test_the_same_form_twice_is_one_hold(client, event, seats):
    first = ask(client, event, seats[:2])
    second = ask(client, event, seats[:2])

    assert second["Location"] == first["Location"]
    assert Hold.objects.count() == 1


def test_back_and_other_seats_leads_to_the_hold_and_lets_choose(client, event, seats, held):
    response = ask(client, event, seats[4:6])

    assert response["Location"] == held
    assert "You hold these seats already" in said(client.get(held))

    client.post(held + "release/")
    again = ask(client, event, seats[4:6])

    assert again["Location"] != held
    assert EventSeat.objects.filter(pk__in=seats[4:6], state=SeatState.HELD).count() == 2


@pytest.mark.usefixtures("gate_on")
def test_who_asks_for_his_own_seats_in_another_tab_is_led_to_them(client, event, seats):
    held = ask(client, event, seats[:2])["Location"]

    response = ask(client, event, seats[1:3], idempotency_key="another tab")

    assert response["Location"] == held


def test_a_form_sent_again_after_letting_go_holds_the_seats_anew(client, event, seats, held):
    client.post(held + "release/")

    again = ask(client, event, seats[:2])

    assert again["Location"] != held
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 2


def test_a_taken_seat_is_named_and_the_others_stay_ticked(client, event, seats, sale):
    place(sale, [seats[0]])

    page = client.get(ask(client, event, seats[:2])["Location"])

    assert "Row A, seat 1 was just taken" in said(page).replace("row A", "Row A")
    box = re.search(rf'<input[^>]*value="{seats[1]}"[^>]*>', page.content.decode())
    assert "checked" in box.group()
    assert EventSeat.objects.get(pk=seats[1]).state == SeatState.AVAILABLE


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"seats": []}, "Choose at least one seat first"),
        ({"seats": ["nonsense"]}, "is not a number"),
        ({"seats": ["9" * 400]}, "is not a number"),
        ({"seats": ["0" * 20 + "9" * 20]}, "is not a number"),
        ({"seats": ["0" * 20 + "9" * 5000]}, "is not a number"),
        ({"seats": ["-1"]}, "is not a number"),
        ({"seats": [str(10**12)]}, "not sold here"),
        ({"seats": [str(n) for n in range(1, 1001)]}, "more than anybody can hold"),
        ({"seats": ["1"], "fare": "x"}, "is not a number"),
    ],
)
def test_a_bad_form_is_refused_in_words_and_holds_nothing(client, event, form, words):
    response = ask(client, event, **form)

    assert response.status_code == 400
    assert words in said(response)
    assert not Hold.objects.exists()


def test_a_seat_named_twice_or_of_another_event_holds_nothing(client, event, seats):
    stranger = EventSeat.objects.filter(event=factories.opened_event()).first()

    assert ask(client, event, [seats[0], seats[0]]).status_code == 400
    assert ask(client, event, [seats[0], stranger.pk]).status_code == 400

    assert not Hold.objects.exists()


def test_ten_thousand_fields_are_refused_before_they_are_read(client, event):
    response = ask(client, event, range(10_000))

    assert response.status_code == 400
    assert not Hold.objects.exists()


def test_more_than_the_limit_is_refused_with_the_limit_said(client, event, seats):
    response = ask(client, event, seats[:9])

    assert response.status_code == 409
    assert "One person can have 8 places here. You chose 9" in said(response)


def test_before_the_sale_the_page_says_when_it_opens(client, event, seats):
    opens = timezone.now() + timedelta(days=1)
    OnSale.objects.filter(event=event).update(opens_at=opens)

    response = ask(client, event, seats[:1])

    assert response.status_code == 409
    assert "It opens on" in said(response)
    assert "CE" in said(response)


def test_a_paused_sale_says_so(client, event, seats):
    Event.objects.filter(pk=event.pk).update(is_paused=True)

    response = ask(client, event, seats[:1])

    assert response.status_code == 409
    assert "not on sale now" in said(response)


def test_general_admission_is_held_by_number(client):
    event = factories.opened_event(rows=0, pool_capacity=5)
    pool = AdmissionPool.objects.get(event=event)
    adult, child = Fare.objects.filter(event=event).order_by("rank")
    form = {
        "pool": pool.pk,
        f"quantity_{adult.pk}": "2",
        f"quantity_{child.pk}": "1",
        "idempotency_key": "k",
    }

    response = client.post(f"/events/{event.slug}/hold/", form)

    page = client.get(response["Location"])
    assert "2 places, Floor" in said(page)
    assert "€125.00" in said(page)
    again = client.post(f"/events/{event.slug}/hold/", form | {f"quantity_{adult.pk}": "0"})
    assert again["Location"] == response["Location"]


def test_nobody_sees_or_changes_another_fans_seats(client, held, django_client_factory):
    stranger = django_client_factory()

    assert stranger.get(held).status_code == 404
    for door in ["release/", "extend/", "change/", "prices/", "checkout/"]:
        assert stranger.post(held + door).status_code == 404
    assert Hold.objects.get().state == HoldState.ACTIVE


@pytest.fixture
def django_client_factory():
    return Client


def test_another_fare_changes_the_price_at_once(client, event, held):
    line = Hold.objects.get().lines.earliest("pk")
    child = Fare.objects.get(event=event, name="Child")

    client.post(held + "prices/", {f"fare_{line.pk}": child.pk})

    assert "€75.00" in said(client.get(held))


def test_a_fare_that_is_not_sold_changes_nothing(client, held):
    line = Hold.objects.get().lines.earliest("pk")

    response = client.post(held + "prices/", {f"fare_{line.pk}": 10**9}, follow=True)

    assert "That price is not offered" in said(response)
    assert "€100.00" in said(response)


def test_a_lapsed_hold_says_so_and_leads_back_to_the_seats(client, event, held):
    lapse(SimpleNamespace(hold_id=Hold.objects.get().pk))

    page = client.get(held)

    assert "Your seats went back on sale" in said(page)
    assert f"/events/{event.slug}/seats/" in page.content.decode()


@pytest.mark.parametrize("door", ["extend/", "change/", "prices/", "release/", "checkout/"])
def test_every_door_to_a_hold_says_when_to_come_again(client, held, monkeypatch, door):
    def wait_in_vain(_hold_ids):
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr("inventory.services.locks.holds", wait_in_vain)

    response = client.post(held + door, BUYER)

    assert response.status_code == 503
    assert response["Retry-After"] == "3"


def test_who_cannot_be_served_in_time_is_told_when_to_come_again(client, event, seats):
    """Another transaction keeps the seat's row: the lock is waited for, and not for ever."""
    locked, done = threading.Event(), threading.Event()

    def keep():
        with transaction.atomic():
            EventSeat.objects.select_for_update().get(pk=seats[0])
            locked.set()
            done.wait(timeout=30)
        connection.close()

    keeper = threading.Thread(target=keep)
    keeper.start()
    locked.wait(timeout=10)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")

    response = ask(client, event, seats[:1])

    done.set()
    keeper.join()
    connection.close()
    assert response.status_code == 503
    assert response["Retry-After"] == "3"
    assert "Very many people" in said(response)
