"""More requests than the database can take: some wait for a moment, the rest is told to come again.

One real web process, whose few slots all wait for a seat that the test has locked.
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
import requests
from django.db import connection, transaction
from django.urls import reverse

from inventory.models import EventSeat
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)

SLOTS, WAITERS = 2, 3
ENVIRONMENT = {"DATABASE_SLOTS": str(SLOTS), "DATABASE_WAITERS": str(WAITERS), "GATE": "off"}


@pytest.fixture
def seats():
    event = factories.opened_event()
    return event, list(EventSeat.objects.filter(event=event).values_list("pk", flat=True))


def fan(office):
    """A browser that has seen a form."""
    session = requests.Session()
    token = re.search(r'value="(\w+)"', session.get(f"{office.url}/admin/login/").text)[1]
    session.headers["X-CSRFToken"] = token
    return session


def place(office, session, event, seat):
    form = {"seats": [seat], "idempotency_key": uuid4().hex}
    url = office.url + reverse("bookings:place", args=[event.slug])
    return session.post(url, data=form, allow_redirects=False, timeout=30)


def connections_of_the_office():
    with connection.cursor() as cursor:
        # A transaction sees the activity of its first look, until it asks for another.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE wait_event_type = 'Lock')"
            " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return cursor.fetchone()


def wait_for_locks(count):
    wait_until(lambda: connections_of_the_office()[1] == count)


def wait_for_waiters(office, count):
    line = f"ticketing_slot_waiters {float(count)}"
    wait_until(lambda: line in requests.get(f"{office.url}/metrics", timeout=30).text)


def wait_until(reached):
    for _ in range(1000):
        if reached():
            return
        time.sleep(0.02)
    pytest.fail("it never came to that")


def test_beyond_slots_and_waiters_a_fan_is_told_to_come_again(office, seats):
    event, [seat, other, *_] = seats
    # Who waits for a slot does so for longer than this test takes.
    office.start("web", **ENVIRONMENT, DATABASE_SLOT_SECONDS="60")
    fans = [fan(office) for _ in range(SLOTS + WAITERS)]
    late = fan(office)

    with ThreadPoolExecutor(len(fans)) as crowd:
        with transaction.atomic():
            EventSeat.objects.select_for_update().get(pk=seat)
            answers = [crowd.submit(place, office, session, event, seat) for session in fans]
            wait_for_locks(SLOTS)
            wait_for_waiters(office, WAITERS)
            refused = place(office, late, event, other)
            assert connections_of_the_office()[0] == SLOTS
            alive = requests.get(f"{office.url}/livez", timeout=30)
            ready = requests.get(f"{office.url}/readyz", timeout=30)
            told = requests.post(f"{office.url}/payments/webhook/", data=b"{}", timeout=30)
        statuses = sorted(answer.result().status_code for answer in answers)

    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert "Very many people are here just now" in refused.text
    assert (alive.status_code, ready.status_code) == (200, 200)
    # Heard, though not believed: the provider has a slot of its own.
    assert told.status_code == 400
    # The lock is gone: who waited is served, one with the seat and the others with a kind no.
    assert statuses == [302] + [409] * (len(fans) - 1)
    assert place(office, late, event, other).status_code == 302


def test_who_waits_too_long_for_a_slot_is_told_to_come_again(office, seats):
    event, [seat, *_] = seats
    office.start("web", **ENVIRONMENT, DATABASE_SLOT_SECONDS="0.2")
    fans = [fan(office) for _ in range(SLOTS)]

    with ThreadPoolExecutor(len(fans)) as crowd:
        with transaction.atomic():
            EventSeat.objects.select_for_update().get(pk=seat)
            answers = [crowd.submit(place, office, session, event, seat) for session in fans]
            wait_for_locks(SLOTS)
            refused = requests.get(f"{office.url}/", timeout=30)
        for answer in answers:
            answer.result()

    assert refused.status_code == 503


def test_without_slots_everybody_piles_up_at_the_lock(office, seats):
    """The control: the same crowd, and each takes a connection and waits."""
    event, [seat, *_] = seats
    office.start("web", **ENVIRONMENT | {"DATABASE_SLOTS": "0"})
    fans = [fan(office) for _ in range(SLOTS + WAITERS + 1)]

    with ThreadPoolExecutor(len(fans)) as crowd:
        with transaction.atomic():
            EventSeat.objects.select_for_update().get(pk=seat)
            answers = [crowd.submit(place, office, session, event, seat) for session in fans]
            wait_for_locks(len(fans))
        for answer in answers:
            answer.result()

    assert connections_of_the_office()[0] >= len(fans)
