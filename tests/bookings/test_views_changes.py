"""A fan changes what he holds: seats added, swapped and removed, all at once or not at all."""

from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone

from events.models import Event
from inventory.models import AdmissionPool, EventSeat, Hold
from tests import factories
from tests.bookings.asking import ask
from tests.inventory.asking import lapse, place
from tests.reading import said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def change(client, held, seats=(), **form):
    return client.post(held + "change/", {"seats": seats, "section": "stalls"} | form)


def own():
    """The seats that the one hold has."""
    hold = Hold.objects.earliest("pk")
    found = EventSeat.objects.filter(hold=hold).order_by("pk").values_list("pk", flat=True)
    assert sorted(hold.lines.exclude(seat=None).values_list("seat", flat=True)) == list(found)
    return list(found)


def test_a_seat_is_added_and_another_swapped_in_one_step(client, seats, held):
    before = Hold.objects.get()

    answer = change(client, held, [seats[1], seats[4], seats[5]])

    assert answer["Location"] == held
    assert own() == [seats[1], seats[4], seats[5]]
    after = Hold.objects.get()
    assert after.fencing_token > before.fencing_token
    assert after.expires_at == before.expires_at
    assert "€150.00" in said(client.get(held))


def test_a_taken_seat_changes_nothing_and_is_named_where_the_choice_stays(
    client, event, seats, sale, held
):
    place(sale, [seats[4]], owner="another")

    answer = change(client, held, [seats[1], seats[4], seats[5]])

    page = client.get(answer["Location"])
    assert "seat 5 was just taken" in said(page)
    rows = page.context["rows"]
    shown = [seat for row in rows for segment in row.segments for seat in segment]
    assert [seat.id for seat in shown if seat.picked] == [seats[1], seats[5]]
    assert own() == seats[:2]


def test_a_line_is_removed(client, seats, held):
    line = Hold.objects.get().lines.get(seat=seats[0])

    client.post(held + "change/", {"remove": line.pk})

    assert own() == [seats[1]]
    assert EventSeat.objects.get(pk=seats[0]).state == "available"
    assert "Remove" not in said(client.get(held))


def test_a_line_is_removed_also_while_the_sale_is_paused(client, seats, held):
    Event.objects.update(is_paused=True)
    line = Hold.objects.get().lines.get(seat=seats[0])

    client.post(held + "change/", {"remove": line.pk})

    assert own() == [seats[1]]


def test_the_last_seat_is_not_removed_but_let_go(client, seats, held):
    assert "To give all of them back, let them go" in said(
        client.get(change(client, held, [])["Location"])
    )
    assert own() == seats[:2]


def test_more_than_the_limit_changes_nothing(client, seats, held):
    answer = change(client, held, seats[:9])

    assert answer.status_code == 409
    assert "One person can have 8 places here" in said(answer)
    assert own() == seats[:2]


def test_once_the_payment_has_begun_nothing_changes(client, seats, held):
    Hold.objects.update(payment_started_at=timezone.now())

    answer = change(client, held, seats[2:4])

    assert "the seats cannot change any more" in said(client.get(answer["Location"]))
    assert own() == seats[:2]


def test_a_lapsed_hold_is_not_changed(client, seats, held):
    lapse(SimpleNamespace(hold_id=Hold.objects.get().pk))

    answer = change(client, held, seats[2:4])

    assert "Your seats went back on sale" in said(client.get(answer["Location"]))


@pytest.mark.parametrize("form", [{"remove": "x"}, {"pool": "y"}, {"seats": ["z"]}])
def test_a_form_that_cannot_be_read_changes_nothing(client, seats, held, form):
    assert client.post(held + "change/", form | {"section": "stalls"}).status_code == 400
    assert own() == seats[:2]


@pytest.mark.parametrize("section", ["nowhere", "\0"])
def test_a_section_that_is_not_there_changes_nothing(client, seats, held, section):
    assert change(client, held, seats[:1], section=section).status_code == 404
    assert own() == seats[:2]


def test_places_of_a_pool_join_the_seats_and_their_number_changes(client):
    event = factories.opened_event(pool_capacity=10)
    seats = list(EventSeat.objects.filter(event=event).values_list("pk", flat=True))
    held = ask(client, event, seats[:2])["Location"]
    pool = AdmissionPool.objects.get(event=event)
    fare = Hold.objects.get().lines.earliest("pk").fare_id
    page = client.get(reverse("inventory:event", args=[event.slug]))
    assert "Change my places" in said(page)

    for number in (3, 1):
        client.post(held + "change/", {"pool": pool.pk, f"quantity_{fare}": number})
        pool.refresh_from_db()
        assert pool.held == number
        assert own() == seats[:2]
    shown = client.get(reverse("inventory:event", args=[event.slug])).context["pools"]
    assert shown[0]["fares"][0]["quantity"] == 1
