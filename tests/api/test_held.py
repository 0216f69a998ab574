"""What becomes of a partner's hold: changed, extended, let go, lapsed, booked."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from inventory.models import EventSeat, Hold, SeatState
from tests.api.asking import change, problem, seats_of
from tests.inventory.asking import confirm, lapse, place

pytestmark = pytest.mark.django_db


def test_a_change_is_all_or_none_and_keeps_the_end(blue, seats, sale, held):
    before = blue.get(held).json()
    place(sale, seats[4:5])

    refused = change(blue, held, [seats[1], seats[4]])
    assert problem(refused) == "seats-taken"
    assert seats_of(blue.get(held)) == set(seats[:2])

    changed = change(blue, held, [seats[1], seats[5]])
    assert changed.status_code == 200
    assert seats_of(changed) == {seats[1], seats[5]}
    assert changed.json()["expires_at"] == before["expires_at"]
    assert EventSeat.objects.get(pk=seats[0]).state == SeatState.AVAILABLE
    assert change(blue, held, [seats[1], seats[5]]).json() | {"now": 0} == changed.json() | {
        "now": 0
    }


def test_a_change_to_nothing_or_too_much_changes_nothing(blue, seats, held):
    assert problem(change(blue, held)) == "bad-wish"
    assert problem(change(blue, held, seats[:9])) == "limit-reached"
    assert problem(change(blue, held, seats[:1], customer="ada")) == "invalid"

    assert seats_of(blue.get(held)) == set(seats[:2])


def test_a_hold_is_extended(blue, held):
    Hold.objects.update(expires_at=timezone.now() + timedelta(seconds=30))

    response = blue.post(f"{held}extend/")

    said = response.json()
    assert response.status_code == 200
    end = datetime.fromisoformat(said["expires_at"])
    assert end > timezone.now() + timedelta(minutes=5)
    assert end <= datetime.fromisoformat(said["extendable_until"])


def test_what_is_over_is_neither_extended_nor_changed_but_shown(blue, seats, held):
    lapse(SimpleNamespace(hold_id=Hold.objects.get().pk))

    assert problem(blue.post(f"{held}extend/")) == "hold-lost"
    assert problem(change(blue, held, seats[:1])) == "hold-lost"
    assert blue.get(held).json()["state"] == "expired"


def test_letting_go_twice_is_letting_go_once(blue, seats, held):
    answers = [blue.delete(held), blue.delete(held)]

    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b"")] * 2
    assert blue.get(held).json()["state"] == "released"
    assert not EventSeat.objects.filter(state=SeatState.HELD).exists()


def test_what_is_booked_is_not_let_go(blue, held):
    hold = Hold.objects.get()
    confirm(SimpleNamespace(hold_id=hold.pk, fencing_token=hold.fencing_token))

    assert problem(blue.delete(held)) == "hold-booked"
    assert blue.get(held).json()["state"] == "confirmed"


def test_once_the_payment_has_begun_nothing_changes(blue, seats, held):
    Hold.objects.update(payment_started_at=timezone.now())

    assert problem(change(blue, held, seats[:1])) == "payment-started"
