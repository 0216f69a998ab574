"""A fan with a browser, who comes again when the shop is away or asks him to."""

import time
from collections import Counter
from collections.abc import Collection
from urllib.parse import urlsplit
from uuid import uuid4

import requests
from django.urls import reverse

from events.models import Event
from tests.bookings.asking import BUYER
from tests.faults.browser import reference_in

# A fan comes again when he is told to; here, so that nobody has to wait, a little sooner.
MOMENT = 0.3
PATIENCE = 120
CARD = "4242424242424242"


class Buyer:
    # Whether he reloads a page that never came.
    comes_again = True

    def __init__(self, shop_url: str, event: Event, statuses: Counter[int] | None = None) -> None:
        self._shop_url = shop_url
        self._event = event
        self._session = requests.Session()
        self._key = uuid4().hex
        self._statuses = Counter[int]() if statuses is None else statuses
        # Any page with a form gives the token.
        self.ask("GET", reverse("admin:login"))

    def close(self) -> None:
        self._session.close()

    def hold(self, seats: Collection[int]) -> str | None:
        """The hold of these seats; None if they are somebody else's."""
        path = reverse("bookings:place", args=[self._event.slug])
        return reference_in(self.ask("POST", path, seats=list(seats), idempotency_key=self._key))

    def check_out(self, reference: str) -> str:
        """Say who is coming; returns where the shop leads: to the provider, as a rule."""
        buyer = BUYER | {"email": f"{reference}@example.org"}
        path = reverse("bookings:checkout", args=[reference])
        return self.ask("POST", path, **buyer).headers["Location"]

    def pay(self, page: str, card: str = CARD) -> str | None:
        """Use the provider's page; returns the way back, None if the card was refused."""
        answer = requests.post(page, data={"card": card}, allow_redirects=False, timeout=30)
        return urlsplit(answer.headers["Location"]).path if answer.is_redirect else None

    def come_back(self, path: str) -> requests.Response:
        """Along the way back, to the page of the booking."""
        answer = self.ask("GET", path)
        while answer.is_redirect:
            answer = self.ask("GET", urlsplit(answer.headers["Location"]).path)
        return answer

    def let_go(self, reference: str) -> requests.Response:
        return self.ask("POST", reverse("bookings:release", args=[reference]), sure="yes")

    def ask(self, method: str, path: str, **form: object) -> requests.Response:
        """As often as it takes, as long as the shop says so kindly or says nothing at all."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            token = {"csrfmiddlewaretoken": self._session.cookies.get("csrftoken", "")}
            try:
                answer = self._session.request(
                    method,
                    self._shop_url + path,
                    data=form | token if form else None,
                    allow_redirects=False,
                    timeout=60,
                )
            except requests.ConnectionError:
                if not self.comes_again:
                    raise
                time.sleep(MOMENT)
                continue
            self._statuses[answer.status_code] += 1
            if answer.status_code != 503:
                assert answer.status_code in {200, 302, 409}, f"{path}: {answer.status_code}"
                return answer
            assert int(answer.headers["Retry-After"]) > 0
            time.sleep(MOMENT)
        raise AssertionError(f"{path} never served again")
