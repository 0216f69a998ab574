"""Events and what is free of them, as other programs read it."""

from datetime import datetime

import pytest
from django.core.cache import cache

from events import terms
from events.models import EventState, FeeKind
from inventory.models import AdmissionPool, EventSeat
from tests import factories
from tests.api.asking import problem
from tests.inventory.asking import place

pytestmark = pytest.mark.django_db


def read(client, path):
    response = client.get(f"/api/v1/{path}")
    assert response.status_code == 200, response.content
    return response.json()


def test_an_event_is_listed_with_its_price_and_its_venues_time(client, event):
    [shown] = read(client, "events/")["events"]

    assert shown["slug"] == event.slug
    assert shown["status"] == "on_sale"
    assert shown["from_price"] == {"minor": 2500, "currency": "EUR"}
    assert datetime.fromisoformat(shown["starts_at"]) == event.starts_at
    assert shown["starts_at"][-6:] in {"+01:00", "+02:00"}


def test_a_draft_is_nobodys_business(client):
    draft = factories.draft_event()

    assert read(client, "events/")["events"] == []
    for rest in ["", "availability/", "sections/stalls/seats/"]:
        assert problem(client.get(f"/api/v1/events/{draft.slug}/{rest}")) == "not-found"


def test_a_list_is_given_in_pages_and_ends(client):
    factories.EventFactory.create_batch(25, state=EventState.PUBLISHED)

    first, second = read(client, "events/"), read(client, "events/?page=2")

    assert (first["count"], first["pages"], len(first["events"])) == (25, 2, 24)
    assert len(second["events"]) == 1
    assert problem(client.get("/api/v1/events/?page=3")) == "not-found"


def test_a_list_is_searched(client, event):
    assert len(read(client, f"events/?q={event.title.replace(' ', '+')}")["events"]) == 1
    assert read(client, "events/?q=nothing+like+it")["events"] == []


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=1.0", "page=%D9%A1", "q=" + "x" * 101])
def test_a_query_that_makes_no_sense_is_refused_by_field(client, query):
    response = client.get(f"/api/v1/events/?{query}")

    assert problem(response) == "invalid"
    assert response.json()["errors"][0]["field"] == query.partition("=")[0]


def test_a_list_costs_the_same_however_long_it_is(client, django_assert_max_num_queries):
    for _ in range(10):
        factories.opened_event(rows=1, seats_per_row=2)

    with django_assert_max_num_queries(6):
        assert len(read(client, "events/")["events"]) == 10


def test_an_event_says_what_each_zone_costs_with_its_fees(client):
    event = factories.opened_event(fees={FeeKind.TICKET: 150, FeeKind.BOOKING: 200})

    prices = read(client, f"events/{event.slug}/")["prices"]

    adult, child = prices["fares"]
    assert prices["zones"][0]["prices"] == [
        {"fare": adult["id"], "price": {"minor": 5150, "currency": "EUR"}},
        {"fare": child["id"], "price": {"minor": 2650, "currency": "EUR"}},
    ]
    assert prices["booking_fees"][0]["amount"] == {"minor": 200, "currency": "EUR"}


def test_availability_counts_sections_and_pools(client):
    event = factories.opened_event(pool_capacity=5)
    pool = AdmissionPool.objects.get(event=event)
    seats = EventSeat.objects.filter(event=event).values_list("pk", flat=True)
    place(terms.of(event.pk), seats[:3], pools=[(pool.pk, 2)])

    shown = read(client, f"events/{event.slug}/availability/")

    [stalls] = shown["sections"]
    assert (stalls["slug"], stalls["capacity"], stalls["free"]) == ("stalls", 20, 17)
    assert [(p["id"], p["capacity"], p["free"]) for p in shown["pools"]] == [(pool.pk, 5, 3)]


def test_a_section_shows_each_seat_but_not_who_has_it(client, event, seats, sale):
    place(sale, seats[:1])

    shown = read(client, f"events/{event.slug}/sections/stalls/seats/")["seats"]

    assert [seat["id"] for seat in shown] == seats
    assert shown[0] | {"zone": 0} == {
        "id": seats[0],
        "label": "Row A, seat 1",
        "row": "A",
        "number": "1",
        "zone": 0,
        "state": "taken",
        "is_wheelchair": False,
    }
    assert {seat["state"] for seat in shown[1:]} == {"available"}


def test_there_are_no_seats_of_a_standing_area_or_of_no_section(client):
    event = factories.opened_event(pool_capacity=5)

    for section in ("floor", "nowhere"):
        address = f"/api/v1/events/{event.slug}/sections/{section}/seats/"
        assert problem(client.get(address)) == "not-found"


@pytest.mark.parametrize("rest", ["availability/", "sections/stalls/seats/"])
def test_what_many_ask_at_once_is_read_once(client, event, rest, django_assert_num_queries):
    first = read(client, f"events/{event.slug}/{rest}")

    with django_assert_num_queries(0):
        assert read(client, f"events/{event.slug}/{rest}") == first


def test_without_a_cache_it_is_read_each_time(client, event, monkeypatch):
    monkeypatch.setattr(cache, "get_or_set", lambda *_: None)

    assert read(client, f"events/{event.slug}/availability/")["sections"]


@pytest.mark.parametrize(
    "path", ["", "{slug}/", "{slug}/availability/", "{slug}/sections/stalls/seats/"]
)
def test_who_has_the_answer_already_is_told_so(client, event, path):
    address = "/api/v1/events/" + path.format(slug=event.slug)
    tag = client.get(address)["ETag"]

    again = client.get(address, headers={"if-none-match": tag})

    assert (again.status_code, again.content) == (304, b"")
