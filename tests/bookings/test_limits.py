"""The limit for each person, by e-mail address, whatever browsers he uses."""

import pytest
from django.db import transaction
from django.test import Client

from bookings.errors import AddressLimitReached
from bookings.models import Booking, BookingState, LapseReason
from bookings.services import checkout
from events import terms
from events.models import Event
from inventory import selectors
from inventory.models import EventSeat, Hold, HoldState
from inventory.services import cancelling, holds
from tests import factories
from tests.bookings.asking import BUYER, ask
from tests.bookings.conftest import hold_of
from tests.inventory.asking import lapse, place
from tests.reading import said

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sale(event):
    Event.objects.filter(pk=event.pk).update(limit_per_fan=4)
    return terms.of(event.pk)


def start(sale, seats, *, owner, email="ada@example.org"):
    placed = place(sale, seats, owner=owner)
    return checkout.start(hold=hold_of(placed), name="Ada", email=email, terms=sale)


def test_an_address_has_as_many_places_as_one_fan_may_have(sale, seats):
    start(sale, seats[:2], owner="a")
    start(sale, seats[2:4], owner="b", email="ADA+again@example.org ")

    with pytest.raises(AddressLimitReached) as refusal:
        start(sale, seats[4:5], owner="c")

    assert (refusal.value.owned, refusal.value.limit, refusal.value.asked) == (4, 4, 1)


def test_a_refused_start_changes_nothing(sale, seats):
    start(sale, seats[:3], owner="a")

    with pytest.raises(AddressLimitReached):
        start(sale, seats[3:6], owner="b")

    assert Booking.objects.count() == 1
    assert Hold.objects.get(owner="b").payment_started_at is None
    assert start(sale, seats[6:9], owner="c", email="bob@example.org")


def test_a_booking_that_is_confirmed_counts_and_one_that_lapsed_does_not(sale, seats):
    booking = start(sale, seats[:4], owner="a")
    checkout.confirm(booking=booking)
    with pytest.raises(AddressLimitReached):
        start(sale, seats[4:5], owner="b")

    other = start(sale, seats[5:9], owner="c", email="bob@example.org")
    checkout.lapse(booking=other, reason=LapseReason.LET_GO)
    assert start(sale, seats[9:13], owner="d", email="bob@example.org")


@pytest.mark.parametrize("gone", ["lapsed", "released", "cancelled"])
def test_places_that_went_back_do_not_count(sale, seats, gone):
    booking = start(sale, seats[:4], owner="a")
    hold = selectors.hold_by_id(booking.hold_id)
    if gone == "lapsed":
        lapse(booking)
    elif gone == "released":
        holds.release(reference=hold.reference, owner="a")
    else:
        checkout.confirm(booking=booking)
        with transaction.atomic():
            cancelling.cancel(
                hold_id=hold.id,
                fencing_token=hold.fencing_token,
                seat_ids=seats[:3],
                returns_to=None,
            )

    assert start(sale, seats[4:7], owner="b")


def test_the_same_hold_started_again_is_not_counted_twice(sale, seats):
    hold = hold_of(place(sale, seats[:4], owner="a"))
    first = checkout.start(hold=hold, name="Ada", email="ada@example.org", terms=sale)

    second = checkout.start(hold=hold, name="Bob", email="bob@example.org", terms=sale)

    assert second.pk == first.pk
    second.refresh_from_db()
    assert (second.name, second.email_key) == ("Bob", "bob@example.org")
    # And the first address has its places back.
    assert start(sale, seats[4:8], owner="b")


def test_another_event_is_counted_on_its_own(sale, seats):
    start(sale, seats[:4], owner="a")
    other = factories.opened_event()
    theirs = list(EventSeat.objects.filter(event=other).values_list("pk", flat=True)[:4])

    assert start(terms.of(other.pk), theirs, owner="a")


def test_late_money_takes_no_more_seats_than_one_person_may_have(sale, seats):
    late = start(sale, seats[:4], owner="a")
    lapse(late)
    start(sale, seats[4:8], owner="b")

    checkout.confirm_or_lapse(booking=late, terms=sale)

    assert (late.state, late.lapse_reason) == (BookingState.LAPSED, LapseReason.LATE)
    assert not Hold.objects.filter(owner="a", state=HoldState.ACTIVE).exists()


@pytest.fixture
def pages(provider_here, sale):
    return provider_here


def fill_in(client, held, **changes):
    return client.post(f"{held}checkout/", BUYER | changes)


def test_the_checkout_says_how_many_an_address_has_and_what_to_do(pages, event, seats):
    first, second = Client(), Client()
    fill_in(first, ask(first, event, seats[:3])["Location"])
    held = ask(second, event, seats[3:6])["Location"]

    page = fill_in(second, held, email="Ada@example.org")

    assert page.status_code == 409
    assert "has 3 places here already, and one person can have 4" in said(page)
    assert "Please let 2 seats go" in said(page)
    assert f'href="{held}"' in page.content.decode()
    assert fill_in(second, held, email="bob@example.org").status_code == 302


def test_an_address_that_has_more_than_it_may_hears_no_number_below_nothing(pages, event, seats):
    first, second = Client(), Client()
    fill_in(first, ask(first, event, seats[:4])["Location"])
    held = ask(second, event, seats[4:5])["Location"]
    Event.objects.filter(pk=event.pk).update(limit_per_fan=2)

    page = fill_in(second, held)

    assert page.status_code == 409
    assert "has 4 places here already, and one person can have 2" in said(page)
    assert "Please let these seats go" in said(page)
    assert "-" not in said(page).partition("This address")[2].partition("Your name")[0]
