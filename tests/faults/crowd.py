"""Many buyers at once, who do as people do: come again when told to, choose again when too late."""

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from uuid import uuid4

import requests
from django.urls import reverse

from events.models import Event
from tests.bookings.asking import BUYER
from tests.faults.browser import reference_in

AT_ONCE = 24
# Every so many-th buyer pays as well; the others think it over.
PAYING = 5
# Who was too late so often gives up.
CHOICES = 3
# A fan comes again when he is told to; here, so that nobody has to wait, a little sooner.
MOMENT = 0.3
PATIENCE = 120
CARD = "4242424242424242"


@dataclass(slots=True)
class Promises:
    """What the shop said."""

    # By the reference of a hold, the seats that its fan was told are his.
    held: dict[str, list[int]] = field(default_factory=dict)
    # The secrets of bookings whose fans read that all is well.
    booked: list[str] = field(default_factory=list)
    too_late: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def served(self) -> int:
        """How many buyers know whether they have seats."""
        return len(self.held) + self.too_late


class Crowd:
    def __init__(self, url: str, event: Event, pairs: Sequence[list[int]], buyers: int) -> None:
        self.promises = Promises()
        self._fans = [Fan(url, event, pairs, self.promises) for _ in range(buyers)]

    def __enter__(self) -> "Crowd":
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._over = [
            self._pool.submit(fan.buy, pays=number % PAYING == 0)
            for number, fan in enumerate(self._fans)
        ]
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        self._pool.shutdown(cancel_futures=failed is not None)

    def wait_for(self, reached: Callable[[Promises], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not reached(self.promises):
            assert time.monotonic() < deadline, self.promises.statuses
            for buying in self._over:
                if buying.done():
                    buying.result()
            time.sleep(0.02)

    def finish(self) -> None:
        for buying in self._over:
            buying.result(timeout=PATIENCE)


class Fan:
    def __init__(
        self, url: str, event: Event, pairs: Sequence[list[int]], promises: Promises
    ) -> None:
        self._url, self._event, self._pairs, self._promises = url, event, pairs, promises
        self._session = requests.Session()

    def buy(self, *, pays: bool) -> None:
        with self._session:
            # Any page with a form gives the token.
            self._ask("GET", reverse("admin:login"))
            reference = self._hold()
            if reference and pays:
                self._pay(reference)

    def _hold(self) -> str | None:
        key = uuid4().hex
        for _ in range(CHOICES):
            seats = random.choice(self._pairs)
            path = reverse("bookings:place", args=[self._event.slug])
            answer = self._ask("POST", path, seats=seats, idempotency_key=key)
            if reference := reference_in(answer):
                self._promises.held[reference] = seats
                return reference
        self._promises.too_late += 1
        return None

    def _pay(self, reference: str) -> None:
        path = reverse("bookings:checkout", args=[reference])
        buyer = BUYER | {"email": f"{reference}@example.org"}
        provider = self._ask("POST", path, **buyer).headers["Location"]
        paid = requests.post(provider, data={"card": CARD}, allow_redirects=False, timeout=30)
        back = self._ask("GET", urlsplit(paid.headers["Location"]).path)
        booking = urlsplit(back.headers["Location"]).path
        if "Your seats are booked" in self._ask("GET", booking).text:
            self._promises.booked.append(booking.split("/")[2])

    def _ask(self, method: str, path: str, **form: object) -> requests.Response:
        """As often as it takes, as long as the shop says so kindly."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            token = {"csrfmiddlewaretoken": self._session.cookies.get("csrftoken", "")}
            answer = self._session.request(
                method,
                self._url + path,
                data=form | token if form else None,
                allow_redirects=False,
                timeout=30,
            )
            self._promises.statuses[answer.status_code] += 1
            if answer.status_code != 503:
                assert answer.status_code in {200, 302, 409}, f"{path}: {answer.status_code}"
                return answer
            assert int(answer.headers["Retry-After"]) > 0
            time.sleep(MOMENT)
        raise AssertionError(f"{path} never served again")
