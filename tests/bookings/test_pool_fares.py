"""General admission as a fan meets it: families, prices that are used up, and one code for four."""

import pytest
from django.db import transaction

from bookings.models import Booking, BookingState, Ticket
from bookings.services import checkout
from events import terms
from inventory.errors import PlacesTaken
from inventory.models import AdmissionPool, FareCap, Hold, HoldLine
from inventory.services import pools
from tests import factories
from tests.bookings.asking import BUYER
from tests.bookings.conftest import hold_of, session_of, tell_all
from tests.inventory.asking import lapse, place
from tests.reading import said
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def event():
    """A lawn of ten places: families of four pay 90, and of children there are two."""
    event = factories.opened_event(rows=0, pool_capacity=10, limit_per_fan=8)
    factories.add_fare(event, "Family", price_minor=9000, places=4)
    return event


@pytest.fixture
def pool(event):
    return AdmissionPool.objects.get(event=event)


@pytest.fixture
def fare(event):
    return dict(event.fares.values_list("name", "pk"))


@pytest.fixture(autouse=True)
def few_children(pool, fare):
    with transaction.atomic():
        pools.cap_fare(pool_id=pool.pk, fare_id=fare["Child"], capacity=2)


@pytest.fixture
def choose(client, event, pool, fare):
    """Send the event's form with so many tickets of each fare."""

    def act(**tickets):
        form = {"pool": pool.pk, "idempotency_key": "k"}
        form |= {f"quantity_{fare[name]}": str(number) for name, number in tickets.items()}
        return client.post(f"/events/{event.slug}/hold/", form)

    return act


def field(page, name):
    text = page.content.decode()
    start = text.rindex("<input", 0, text.index(f'name="quantity_{name}"'))
    return text[start : text.index(">", start)]


def test_the_page_says_what_a_family_is_and_how_many_children_are_left(client, event, fare):
    page = client.get(f"/events/{event.slug}/")

    assert "Family (one ticket for 4 people)" in said(page)
    assert "Child (2 left)" in said(page)
    assert 'max="2"' in field(page, fare["Family"])


def test_a_family_is_chosen_as_one_ticket(client, choose, pool):
    page = client.get(choose(Family=1, Adult=1)["Location"])

    assert "1 ticket for 4 people, Floor" in said(page)
    assert "5 places" in said(page)
    assert "€140.00" in said(page)
    pool.refresh_from_db()
    assert pool.held == 5


def test_more_than_the_cap_is_refused_in_words_and_the_choice_is_kept(client, choose, fare):
    response = choose(Child=3)

    assert response.status_code == 409
    assert "not left at this price" in said(response)
    assert 'value="3"' in field(response, fare["Child"])
    assert not Hold.objects.exists()


def test_a_price_that_is_used_up_cannot_be_chosen(client, event, pool, fare):
    place(terms.of(event.pk), pools=[(pool.pk, 2)], fare=fare["Child"])

    page = client.get(f"/events/{event.slug}/")

    assert "Child (sold out)" in said(page)
    assert "disabled" in field(page, fare["Child"])
    assert "disabled" not in field(page, fare["Adult"])


def test_who_has_the_last_ones_may_keep_them(client, event, choose, fare):
    choose(Child=2)

    page = client.get(f"/events/{event.slug}/")

    assert "disabled" not in field(page, fare["Child"])
    assert 'value="2"' in field(page, fare["Child"])


def test_a_held_line_is_offered_only_what_fits_it(client, choose, fare):
    address = choose(Adult=3)["Location"]
    line = HoldLine.objects.get()

    page = client.get(address).content.decode()
    refused = client.post(f"{address}prices/", {f"fare_{line.pk}": fare["Child"]}, follow=True)

    assert f'<option value="{fare["Family"]}"' not in page
    assert f'<option value="{fare["Child"]}"' in page
    assert "not left at that price" in said(refused)


@pytest.mark.usefixtures("provider_here")
def test_a_paid_family_has_one_ticket_that_lets_four_in(client, choose, provider_here, pool):
    client.post(choose(Family=1, Child=1)["Location"] + "checkout/", BUYER)
    booking = Booking.objects.get()
    provider_here.pay(session_of(booking))
    client.get(f"/bookings/{booking.secret}/return/")
    tell_all()

    booking.refresh_from_db()
    assert booking.state == BookingState.CONFIRMED
    assert booking.amount_minor == 9000 + 2500
    lines = booking.lines.order_by("position").values_list("fare_name", "admits", "price_minor")
    assert sorted(lines) == [("Child", 1, 2500), ("Family", 4, 9000)]
    assert Ticket.objects.count() == 2
    page = client.get(f"/bookings/{booking.secret}/")
    assert "Family, 4 people" in said(page)
    assert "5 places" in said(page)
    pool.refresh_from_db()
    assert (pool.held, pool.booked) == (0, 5)
    assert FareCap.objects.get().booked == 1
    assert list(audit.run()) == []


def test_late_money_takes_a_family_again_or_nothing(event, pool, fare):
    sale = terms.of(event.pk)
    placed = place(sale, pools=[(pool.pk, 4)], fare=fare["Family"], owner="a")
    booking = checkout.start(hold=hold_of(placed), name="Ada", email="ada@example.org", terms=sale)
    lapse(placed)

    assert checkout.confirm_or_lapse(booking=booking, terms=sale) == BookingState.CONFIRMED

    pool.refresh_from_db()
    assert (pool.held, pool.booked) == (0, 4)
    with pytest.raises(PlacesTaken):
        place(sale, pools=[(pool.pk, 8)], fare=fare["Family"])
