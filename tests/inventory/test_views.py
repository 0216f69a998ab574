import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from events.models import Event, OnSale
from inventory.models import AdmissionPool, Block, BlockKind, EventSeat, Hold
from tests import factories
from tests.inventory.asking import place
from tests.reading import said

pytestmark = pytest.mark.django_db


def boxes(response):
    """The names of the check boxes, which is all that can be ticked."""
    return re.findall(r'<input type="checkbox"[^>]*aria-label="([^"]*)"', response.content.decode())


def test_an_event_says_what_when_where_and_for_how_much(client):
    event = factories.opened_event(title="An evening with Ada", fees={"ticket": 250})

    page = client.get(f"/events/{event.slug}/")

    assert "An evening with Ada" in said(page)
    assert "CE" in said(page)
    assert "€52.50" in said(page)
    assert "Choose seats" in said(page)


def test_the_overview_has_a_named_link_for_every_section(client, event):
    page = client.get(f"/events/{event.slug}/seats/")

    assert 'aria-label="Stalls, 20 of 20 free, from €25.00"' in page.content.decode()
    assert page.content.decode().count(f"/events/{event.slug}/seats/stalls/") == 2


def test_a_free_seat_is_a_check_box_with_its_full_name(client, event):
    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert boxes(page)[0] == "Row A, seat 1, Stalls, €50.00, free"
    assert len(boxes(page)) == 20


def test_a_taken_seat_is_a_word_and_no_check_box(client, event, sale, seats):
    place(sale, seats[:1])

    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert len(boxes(page)) == 19
    assert "Row A, seat 1, taken" in said(page)
    assert "19 free" in said(client.get(f"/events/{event.slug}/seats/"))


def test_a_blocked_seat_is_not_for_sale(client, event, seats):
    block = Block.objects.create(event=event, kind=BlockKind.HOUSE, reason="for the band")
    EventSeat.objects.filter(pk=seats[0]).update(state="blocked", block=block)

    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert "Row A, seat 1, not for sale" in said(page)
    assert len(boxes(page)) == 19


def test_a_fans_own_seats_are_ticked_and_can_be_changed(client, event, seats):
    form = {"seats": seats[:2], "section": "stalls", "idempotency_key": "k"}
    client.post(f"/events/{event.slug}/hold/", form)

    page = client.get(f"/events/{event.slug}/seats/stalls/")

    ticked = re.findall(r'aria-label="([^"]*)" checked', page.content.decode())
    assert ticked == ["Row A, seat 1, yours", "Row A, seat 2, yours"]
    assert "Change my seats" in said(page)
    assert "You hold 2 places until" in said(page)


def test_once_the_payment_has_begun_own_seats_are_shown_and_stay(client, event, seats):
    form = {"seats": seats[:2], "section": "stalls", "idempotency_key": "k"}
    client.post(f"/events/{event.slug}/hold/", form)
    Hold.objects.update(payment_started_at=timezone.now())

    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert "Row A, seat 1, yours" in said(page)
    assert "Change my seats" not in said(page)


@pytest.mark.parametrize("query", ["taken=x&picked=", "taken=1,,-3&picked=" + "9" * 400])
def test_senseless_seats_in_the_address_are_no_seats(client, event, query):
    page = client.get(f"/events/{event.slug}/seats/stalls/?{query}")

    assert page.status_code == 200
    assert "faster" not in said(page)


def test_before_the_sale_seats_are_shown_and_cannot_be_ticked(client, event):
    OnSale.objects.filter(event=event).update(opens_at=timezone.now() + timedelta(days=1))

    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert boxes(page) == []
    assert re.search(r"On sale (from )?\d+ \w+, \d\d:\d\d CES?T", said(page))
    assert "Hold seats" not in said(page)


def test_a_paused_sale_says_so_and_sells_nothing(client, event):
    Event.objects.filter(pk=event.pk).update(is_paused=True)

    assert "The sale is paused" in said(client.get(f"/events/{event.slug}/"))
    assert boxes(client.get(f"/events/{event.slug}/seats/stalls/")) == []


def test_general_admission_is_asked_for_by_number(client):
    event = factories.opened_event(rows=0, pool_capacity=40)
    pool = AdmissionPool.objects.get(event=event)

    page = client.get(f"/events/{event.slug}/").content.decode()

    assert f'name="pool" value="{pool.pk}"' in page
    assert 'name="quantity_' in page
    assert "40 free" in page


def test_a_standing_area_of_a_hall_leads_to_the_number_form(client):
    event = factories.opened_event(pool_capacity=40)

    page = client.get(f"/events/{event.slug}/seats/").content.decode()

    assert f'href="/events/{event.slug}/#places"' in page
    assert client.get(f"/events/{event.slug}/seats/floor/").status_code == 302


@pytest.mark.parametrize("path", ["nothing/", "nothing/seats/", "nothing/seats/stalls/"])
def test_what_is_not_there_is_not_found(client, event, path):
    assert client.get(f"/events/{path}").status_code == 404
    assert client.get(f"/events/{event.slug}/seats/nowhere/").status_code == 404


def test_a_draft_is_nobodys_business(client):
    event = factories.draft_event()

    assert client.get(f"/events/{event.slug}/").status_code == 404


def test_a_fare_that_a_zone_does_not_sell_is_in_no_name(client, event):
    event.fares.get(name="Adult").prices.all().delete()

    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert boxes(page)[0] == "Row A, seat 1, Stalls, €25.00, free"


def test_a_cancelled_event_offers_no_seats(client, event):
    Event.objects.filter(pk=event.pk).update(state="cancelled")

    page = client.get(f"/events/{event.slug}/")

    assert "will not take place" in said(page)
    assert "/seats/" not in page.content.decode()


def test_the_pages_ask_as_often_for_a_large_house_as_for_a_small_one(client):
    asked = []
    for rows in [2, 40]:
        event = factories.opened_event(rows=rows, seats_per_row=20)
        for path in ["", "seats/", "seats/stalls/"]:
            # Once more: the first look at a map is remembered.
            client.get(f"/events/{event.slug}/{path}")
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/events/{event.slug}/{path}").status_code == 200
            asked.append(len(queries))

    assert asked[:3] == asked[3:]
    assert max(asked) < 15


def test_a_page_about_nobody_gives_no_cookie(client, event):
    page = client.get(f"/events/{event.slug}/")

    assert "visitor" not in page.cookies
