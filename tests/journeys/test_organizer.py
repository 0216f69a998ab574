"""An organizer's first evening: a hall is imported, an event made and opened, two seats sold."""

import json

import pytest
from playwright.sync_api import Page

from bookings.models import Booking, BookingState, Ticket
from inventory.models import EventSeat
from tests import factories
from tests.journeys import browser
from tests.provider import NEEDS_3DS
from tests.venues import plans
from ticketing.kernel import audit
from ticketing.ops import roles

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def organizer(settings):
    # The web process does not know the quick hashes of the tests.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    roles.ensure()
    user = factories.UserFactory.create(email="olu@example.org", is_staff=True)
    user.set_password("a good long one")
    user.save()
    user.groups.add(roles.group(roles.ORGANIZERS))
    organizer = factories.OrganizerFactory.create(name="Northlight Concerts")
    organizer.members.add(user)
    return organizer


def test_from_a_plan_to_two_sold_seats(running, chromium_path, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(plans.two_floors()))
    report = running.manage(
        *("import_seatmap", str(plan), "--venue", "Old Mill", "--time-zone", "Europe/Berlin"),
        "--publish",
    )
    assert "11 seats" in report

    with (
        browser.chromium(chromium_path) as chromium,
        browser.page(chromium, running.url, size=browser.WIDE) as desk,
        browser.page(chromium, running.url) as fan,
    ):
        log_in(desk)
        make_event(desk)
        price_zones(desk)
        desk.get_by_role("link", name="Open for sale").click()
        desk.get_by_role("button", name="Open for sale").click()
        desk.get_by_text("published").first.wait_for()

        # The browser's loop runs in this thread: the database is asked when it is closed.
        seats = ["Row 1, seat 1", "Row 1, seat 2"]
        browser.choose_seats(fan, "/events/first-night/", "Stalls", seats)
        browser.say_who(fan)
        browser.pay(fan, NEEDS_3DS)
        fan.get_by_role("button", name="Complete authentication").click()
        fan.get_by_role("heading", name="See you there").wait_for()
        fan.get_by_role("link", name="Download PDF").first.wait_for()

        desk.goto("/admin/bookings/booking/")
        desk.get_by_text("ada@example.org").first.wait_for()

    assert EventSeat.objects.count() == 11
    assert Booking.objects.get().state == BookingState.CONFIRMED
    assert Ticket.objects.count() == 2
    assert list(audit.run()) == []


def log_in(desk: Page) -> None:
    desk.goto("/admin/")
    desk.locator("[name=username]").fill("olu@example.org")
    desk.locator("[name=password]").fill("a good long one")
    desk.locator("[type=submit]").click()
    desk.get_by_role("link", name="Events").first.wait_for()


def make_event(desk: Page) -> None:
    desk.goto("/admin/events/event/add/")
    desk.locator("[name=title]").press_sequentially("First night")
    choose(desk, "venue", "Old Mill")
    choose(desk, "seat_map", "Small hall")
    moment(desk, "starts_at", "2031-03-01", "20:00")
    desk.locator("[name=currency]").select_option("EUR")
    moment(desk, "on_sales-0-opens_at", "2026-01-01", "10:00")
    moment(desk, "on_sales-0-closes_at", "2031-03-01", "20:00")
    desk.get_by_text("Add another Fare").click()
    desk.locator("[name=fares-0-rank]").fill("0")
    desk.locator("[name=fares-0-name]").fill("Adult")
    desk.locator("[name=organizer]").select_option(label="Northlight Concerts")
    desk.get_by_role("button", name="Save and continue editing").click()


def price_zones(desk: Page) -> None:
    for number, (category, price) in enumerate([("A", "65.00"), ("B", "40.00")]):
        desk.get_by_text("Add another Price zone").click()
        desk.locator(f"[name=price_zones-{number}-rank]").fill(str(number))
        desk.locator(f"[name=price_zones-{number}-name]").fill(f"Zone {category}")
        boxes = desk.locator(f"[name=price_zones-{number}-categories]")
        boxes.and_(desk.locator(f"[value={category}]")).check()
        desk.locator(f"[name^=price_zones-{number}-price_]").fill(price)
    desk.get_by_role("button", name="Save and continue editing").click()


def choose(desk: Page, name: str, text: str) -> None:
    """Pick from one of the admin's searchable lists."""
    desk.locator(f"select[name={name}] + .select2").click()
    desk.locator(".select2-search__field").last.fill(text)
    desk.locator(".select2-results__option", has_text=text).first.click()


def moment(desk: Page, name: str, date: str, time: str) -> None:
    desk.locator(f"[name={name}_0]").fill(date)
    desk.locator(f"[name={name}_1]").fill(time)
