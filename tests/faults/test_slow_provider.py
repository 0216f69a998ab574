"""The provider takes its time with some fans: others buy meanwhile, from the same few slots."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import box_office
from tests.faults.buyer import Buyer
from tests.faults.steps import CallWire

pytestmark = pytest.mark.django_db(transaction=True)

SLOTS = 2
OPEN = "[POST /v1/checkout/sessions]"


@pytest.fixture
def wire(provider):
    with CallWire(provider.base_url) as wire:
        yield wire


@pytest.fixture
def office(wire, provider, tmp_path):
    with box_office.running(tmp_path, provider) as office:
        office.forget_claims()
        office.start("web", STRIPE_API_BASE=wire.url, DATABASE_SLOTS=str(SLOTS))
        yield office


def test_while_the_provider_is_silent_for_some_the_next_fan_buys(office, wire, event, seats):
    """Of them there are as many as the process has connections to PostgreSQL."""
    let_go = threading.Event()
    wire.strike_at(OPEN, "before", lambda: let_go.wait(timeout=60), times=SLOTS)
    fans = [Buyer(office.url, event) for _ in range(SLOTS + 1)]
    held = [fan.hold([seat]) for fan, seat in zip(fans, seats, strict=False)]

    with ThreadPoolExecutor(SLOTS) as others:
        slow = [
            others.submit(fan.check_out, hold) for fan, hold in zip(fans[:-1], held, strict=False)
        ]
        try:
            wait_until_asked(wire, SLOTS)
            bought = fans[-1].come_back(str(fans[-1].pay(fans[-1].check_out(held[-1])))).text
            are_waiting = [not one.done() for one in slow]
        finally:
            let_go.set()

    assert "Your seats are booked" in bought
    assert are_waiting == [True] * SLOTS
    # Their calls are repeated, and nobody lost anything.
    pages = [fan.pay(one.result()) for fan, one in zip(fans, slow, strict=False)]
    for fan, page in zip(fans, pages, strict=False):
        assert "Your seats are booked" in fan.come_back(str(page)).text
    for fan in fans:
        fan.close()


def wait_until_asked(wire, times):
    deadline = time.monotonic() + 30
    while wire.heard.count(OPEN) < times:
        assert time.monotonic() < deadline, wire.heard
        time.sleep(0.01)
