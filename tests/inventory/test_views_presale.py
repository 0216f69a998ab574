"""What a fan meets at an event while a presale runs."""

import re
from datetime import timedelta

import pytest
import redis
from django.test import Client
from django.utils import timezone

from events import codes
from events.models import AccessCode, Event, OnSale, OnSaleKind
from events.services import access as codes_of
from inventory import pages
from inventory.models import AdmissionPool, Hold
from inventory.services import access
from tests import factories
from tests.bookings.asking import ask
from tests.inventory.test_views import boxes
from tests.reading import said
from ticketing.kernel import attempts
from ticketing.kernel.loadboard import valkey

pytestmark = pytest.mark.django_db


@pytest.fixture
def code(event):
    for key in valkey().scan_iter("attempts:*"):
        valkey().delete(key)
    return factories.presale_code(event, max_holds=1)


def show(client, event, code):
    return client.post(f"/events/{event.slug}/code/", {"code": code})


def test_a_page_says_who_may_buy_and_asks_for_a_code(client, event, code):
    page = client.get(f"/events/{event.slug}/")

    assert "Presale for code holders until" in said(page)
    assert re.search(r"Public sale from \w+ \d+ \w+ \d{4}, \d\d:\d\d CES?T", said(page))
    assert 'name="code"' in page.content.decode()
    assert "Choose seats" not in said(page)


def test_without_a_code_seats_are_shown_and_cannot_be_taken(client, event, code, seats):
    page = client.get(f"/events/{event.slug}/seats/stalls/")

    assert boxes(page) == []
    assert "Presale for code holders until" in said(page)
    assert f'href="/events/{event.slug}/#code"' in page.content.decode()
    refused = ask(client, event, seats[:1])
    assert refused.status_code == 409
    assert "please show your code" in said(refused)


def test_a_code_opens_the_pages_and_the_seats(client, event, code, seats):
    response = show(client, event, code.lower().replace("-", " "))

    assert response.status_code == 302
    page = client.get(response["Location"])
    assert "Your code is right" in said(page)
    assert "Choose seats" in said(page)
    assert 'name="code"' not in page.content.decode()
    assert len(boxes(client.get(f"/events/{event.slug}/seats/stalls/"))) == 20
    assert ask(client, event, seats[:2]).status_code == 302
    assert Hold.objects.get().access_code == AccessCode.objects.get()


def test_general_admission_opens_with_a_code_as_well(client):
    event = factories.opened_event(rows=0, pool_capacity=40)
    code = factories.presale_code(event)
    assert 'name="pool"' not in client.get(f"/events/{event.slug}/").content.decode()

    show(client, event, code)

    page = client.get(f"/events/{event.slug}/").content.decode()
    assert f'name="pool" value="{AdmissionPool.objects.get().pk}"' in page


def test_the_browser_carries_the_code_out_of_reach_and_only_while_the_presale_runs(
    client, event, code
):
    response = show(client, event, code)

    cookie = response.cookies[f"presale-{event.slug}"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert 0 < cookie["max-age"] <= 3600
    for kept in [cookie.value, response["Location"]]:
        assert codes.normalized(code) not in codes.normalized(kept)


@pytest.mark.parametrize("forged", ["1", "1:x:y", "", "x"])
def test_a_cookie_that_we_did_not_sign_opens_nothing(client, event, code, forged):
    client.cookies[f"presale-{event.slug}"] = forged

    assert boxes(client.get(f"/events/{event.slug}/seats/stalls/")) == []


def test_a_code_carried_to_another_event_opens_nothing_there(client, event, code):
    other = factories.opened_event()
    factories.presale_code(other)
    show(client, event, code)
    client.cookies[f"presale-{other.slug}"] = client.cookies[f"presale-{event.slug}"].value

    assert boxes(client.get(f"/events/{other.slug}/seats/stalls/")) == []


def test_a_code_that_was_taken_back_opens_nothing_any_more(client, event, code, seats):
    show(client, event, code)
    AccessCode.objects.all().delete()

    assert 'name="code"' in client.get(f"/events/{event.slug}/").content.decode()
    assert ask(client, event, seats[:1]).status_code == 409


def test_wrong_used_up_and_old_codes_are_refused_in_the_same_words(client, event, code, seats):
    old = OnSale.objects.create(
        event=event,
        kind=OnSaleKind.PRESALE,
        opens_at=timezone.now() - timedelta(days=2),
        closes_at=timezone.now() - timedelta(days=1),
    )
    [over] = codes_of.make(on_sale_id=old.pk, number=1)
    show(Client(), event, code)
    buyer = Client()
    show(buyer, event, code)
    ask(buyer, event, seats[:1])

    answers = [show(client, event, each) for each in ["BK7M-2QXD-9RTV", over, code, ""]]

    assert {answer.status_code for answer in answers} == {400}
    assert all(str(pages.CODE_REFUSED) in said(answer) for answer in answers)
    assert all(code not in said(answer) and over not in said(answer) for answer in answers)


def test_a_code_that_is_in_use_already_is_told_when_seats_are_asked_for(event, code, seats):
    first, second = Client(), Client()
    show(first, event, code)
    show(second, event, code)
    ask(first, event, seats[:1])

    refused = ask(second, event, seats[1:2])

    assert refused.status_code == 409
    assert "presale code is in use already" in said(refused)


def test_guessing_is_ended_kindly(client, event, code, monkeypatch):
    monkeypatch.setattr(access, "PER_BROWSER", 2)
    show(client, event, "wrong")
    show(client, event, "wrong")

    refused = show(client, event, code)

    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 600
    assert "try again in 10 minutes" in said(refused)


def test_without_the_store_no_code_is_checked(client, event, code, monkeypatch):
    nowhere = redis.Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    monkeypatch.setattr(attempts, "valkey", lambda: nowhere)

    refused = show(client, event, code)

    assert refused.status_code == 503
    assert refused["Retry-After"]
    assert "We cannot check codes just now" in said(refused)


def test_a_paused_presale_asks_for_no_code(client, event, code):
    Event.objects.filter(pk=event.pk).update(is_paused=True)

    page = client.get(f"/events/{event.slug}/")

    assert "The sale is paused" in said(page)
    assert 'name="code"' not in page.content.decode()


def test_before_its_presale_a_page_says_when_it_opens_and_for_whom(client, event, code):
    OnSale.objects.filter(event=event, kind=OnSaleKind.PRESALE).update(
        opens_at=timezone.now() + timedelta(minutes=30)
    )

    page = said(client.get(f"/events/{event.slug}/"))

    assert "The presale for code holders opens on" in page
    assert "Public sale from" in page


def test_what_one_fan_may_see_is_kept_by_no_cache(client, event, code, seats):
    address = f"/events/{event.slug}/seats/stalls/"
    anybody = client.get(address)
    assert "no-store" not in anybody.get("Cache-Control", "")
    assert "Cookie" in anybody["Vary"]

    show(client, event, code)

    assert "no-store" in client.get(address)["Cache-Control"]
    assert boxes(Client().get(address)) == []
