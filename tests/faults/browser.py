"""A fan's browser at the door of the shop: one form, sent as often as its owner likes."""

import re
from collections.abc import Collection, Mapping

import requests
from django.urls import reverse

from events.models import Event

HIDDEN = re.compile(r'name="(csrfmiddlewaretoken|idempotency_key|section)" value="([^"]+)"')


class Browser:
    def __init__(self, shop_url: str, event: Event) -> None:
        self._session = requests.Session()
        self._session.headers["Connection"] = "close"
        self._shop_url = shop_url
        self._event = event

    def open_form(self) -> None:
        """Load the page of the stalls, whose form carries a key of its own."""
        page = self._session.get(
            self._shop_url + reverse("inventory:section", args=[self._event.slug, "stalls"]),
            timeout=30,
        )
        page.raise_for_status()
        self._hidden = dict(HIDDEN.findall(page.text))

    def hold(self, seats: Collection[int]) -> requests.Response:
        """Send the form with these seats ticked; the same ones make it the same form."""
        return self.send(self._hidden | {"seats": list(seats)})

    def send(self, form: Mapping[str, object]) -> requests.Response:
        return self._session.post(
            self._shop_url + reverse("bookings:place", args=[self._event.slug]),
            data=form,
            allow_redirects=False,
            timeout=30,
        )


def reference_in(answer: requests.Response) -> str | None:
    """The hold that a form led to; None if the seats are somebody else's."""
    assert answer.status_code in {302, 409}, answer.text
    parts = answer.headers.get("Location", "").split("/")
    return parts[2] if parts[1:2] == ["your-seats"] else None
