"""A purchase from the first click to the ticket, in a real browser against real processes."""

import re

import pypdfium2
import pytest
import zxingcpp

from bookings.models import Booking, BookingState, Credential, Ticket
from tests import factories
from tests.journeys import browser
from tests.provider import NEEDS_3DS
from ticketing.kernel import audit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
GOOD = "4242424242424242"


def decoded(pdf: bytes) -> str:
    """What a gate reads on the rendered page."""
    document = pypdfium2.PdfDocument(pdf)
    picture = document[0].render(scale=150 / 72).to_pil()
    [code] = zxingcpp.read_barcodes(picture)
    return code.text


@pytest.mark.parametrize("scripts", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_two_seats_from_the_programme_to_the_ticket(running, chromium_path, scripts):
    event = factories.opened_event(title="An evening with Ada")

    with (
        browser.chromium(chromium_path) as chromium,
        browser.page(chromium, running.url, scripts=scripts) as fan,
    ):
        fan.goto("/")
        fan.get_by_role("link", name=re.compile("An evening with Ada")).first.click()
        assert fan.url.endswith(f"/events/{event.slug}/")
        browser.choose_seats(fan, fan.url, "Stalls", ["Row A, seat 3", "Row A, seat 4"])
        fan.get_by_text("€100.00").first.wait_for()
        browser.say_who(fan)
        browser.pay(fan, NEEDS_3DS)
        fan.get_by_role("button", name="Complete authentication").click()
        fan.get_by_role("heading", name="See you there").wait_for()
        links = fan.get_by_role("link", name=re.compile("Download PDF"))
        links.first.wait_for()
        addresses = [link.get_attribute("href") for link in links.all()]
        pdfs = [fan.request.get(address).body() for address in addresses]

    assert Booking.objects.get().state == BookingState.CONFIRMED
    assert [decoded(pdf) for pdf in pdfs] == list(
        Credential.objects.order_by("ticket__line__position").values_list("code", flat=True)
    )
    assert Ticket.objects.count() == 2
    assert list(audit.run()) == []


def test_a_refused_card_lets_the_fan_try_another(running, chromium_path):
    event = factories.opened_event()

    with (
        browser.chromium(chromium_path) as chromium,
        browser.page(chromium, running.url) as fan,
    ):
        browser.choose_seats(fan, f"/events/{event.slug}/", "Stalls", ["Row B, seat 1"])
        browser.say_who(fan)
        browser.pay(fan, "4000000000000002")
        fan.get_by_text("declined").first.wait_for()
        browser.pay(fan, GOOD)
        fan.get_by_role("heading", name="See you there").wait_for()

    assert Booking.objects.get().state == BookingState.CONFIRMED
