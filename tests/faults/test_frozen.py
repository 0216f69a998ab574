"""A web process stands still in the middle of a hold, its locks held, and does not die."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError

from inventory.errors import PlacesTaken
from inventory.models import EventSeat, Hold
from tests.faults.browser import Browser
from tests.inventory.asking import place
from ticketing.kernel import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.deep]


def test_the_next_fan_waits_for_a_frozen_process_only_for_a_while(shop, store, event, sale, seats):
    stands, may_go = threading.Event(), threading.Event()

    def stand_still():
        stands.set()
        may_go.wait(timeout=60)

    frozen = Browser(shop.office.url, event)
    frozen.open_form()
    shop.postgres.strike_at("COMMIT", "before", stand_still)
    with ThreadPoolExecutor(1) as browser:
        answer = browser.submit(frozen.hold, seats[:2])
        assert stands.wait(timeout=30)
        got = get(sale, seats[:2])
        may_go.set()

    assert answer.result().status_code == 503
    assert Hold.objects.get().pk == got.hold_id
    assert EventSeat.objects.filter(hold=got.hold_id).count() == 2
    assert list(audit.run()) == []


def get(sale, seats):
    """As a fan who comes again: each attempt waits as long as PostgreSQL lets it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            return place(sale, seats)
        except PlacesTaken:
            # The claim at the gate is there still.
            time.sleep(0.1)
        except OperationalError:
            pass
    pytest.fail("the seats are the frozen process's for ever")
