"""A fan's browser, and what he can do with it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PHONE: ViewportSize = {"width": 390, "height": 844}
WIDE: ViewportSize = {"width": 1280, "height": 900}


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page(
    browser: Browser, url: str, *, scripts: bool = True, size: ViewportSize = PHONE
) -> Iterator[Page]:
    """A page of a fresh visitor; anything the browser complains about fails the test."""
    context = browser.new_context(base_url=url, java_script_enabled=scripts, viewport=size)
    complaints: list[str] = []
    opened = context.new_page()

    def listen(said: ConsoleMessage) -> None:
        # The provider answers a declined card with 402, of which the browser makes a note.
        if said.type == "error" and said.location.get("url", "").startswith(url):
            complaints.append(f"{said.text} {said.location['url']}")

    opened.on("console", listen)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.set_default_timeout(15_000)
    try:
        yield opened
    except Exception:
        _keep_picture(opened)
        raise
    finally:
        context.close()
    assert not complaints, complaints


def _keep_picture(opened: Page) -> None:
    """Leave a picture of the page that failed, for whoever has to look."""
    folder = Path("var") / "journeys"
    folder.mkdir(parents=True, exist_ok=True)
    name = os.environ.get("PYTEST_CURRENT_TEST", "page").rpartition("::")[2].partition(" ")[0]
    opened.screenshot(path=folder / f"{name}.png", full_page=True)


def choose_seats(fan: Page, event_url: str, section: str, seats: list[str]) -> None:
    """From the event's page over the map to the section, and tick these seats by their names."""
    fan.goto(event_url)
    fan.get_by_role("link", name="Choose seats").first.click()
    fan.get_by_role("link", name=section).last.click()
    for seat in seats:
        fan.get_by_role("checkbox", name=re.compile(rf"{seat}\b")).check()
    fan.get_by_role("button", name="Hold seats").click()


def say_who(fan: Page) -> None:
    fan.get_by_role("link", name="Continue to payment").click()
    fan.get_by_label("Your email address").fill("ada@example.org")
    fan.get_by_label("Your name").fill("Ada Lovelace")
    fan.get_by_label("I accept the terms").check()
    fan.get_by_role("button", name="Pay").click()


def pay(fan: Page, card: str) -> None:
    """At the provider's page, with this card."""
    fan.locator(f'input[name="card"][value="{card}"]').check()
    fan.get_by_role("button", name="Pay").click()
