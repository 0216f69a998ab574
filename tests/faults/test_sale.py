"""PostgreSQL and Valkey die in the middle of a sale: it goes on, and every promise is kept."""

import re
from datetime import timedelta

import pytest
import requests
from django.core.management import call_command
from django.db import connection
from django.db.models import F

from bookings.models import Booking, BookingState, Ticket
from inventory.models import EventSeat, Hold, HoldState, SeatState
from tests import box_office, factories
from tests.faults import servers as own
from tests.faults.browser import Browser, reference_in
from tests.faults.crowd import AT_ONCE, Crowd
from ticketing.embedded import services
from ticketing.kernel import audit

SEATS_PER_ROW = 20
HOUR = 3600


@pytest.fixture(scope="module")
def servers(django_db_setup, django_db_blocker):
    """Servers of these tests' own, which wait for the disk; Django works in their database."""
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        for name in services.GIVEN:
            patch.delenv(name)
        with own.running() as servers:
            for name, value in servers.environment.items():
                patch.setenv(name, value)
            with own.database(servers.environment["DATABASE_URL"]):
                call_command("migrate", verbosity=0)
                yield servers


@pytest.fixture
def office(servers, provider, tmp_path):
    with box_office.running(tmp_path, provider, "web") as office:
        yield office


HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


def test_while_postgres_is_away_every_page_says_when_to_come_again(servers, office):
    event = factories.opened_event()
    seat = EventSeat.objects.filter(event=event).earliest("pk").pk
    fan = Browser(office.url, event)
    fan.open_form()
    connection.close()

    servers.kill_postgres()
    pages = ["/", f"/events/{event.slug}/", f"/events/{event.slug}/seats/stalls/", "/bookings/x/"]
    answers = [requests.get(office.url + page, timeout=30) for page in pages]
    # Who is logged in may not cost another question.
    session = {"sessionid": "s" * 32}
    answers.append(requests.get(office.url + "/admin/", cookies=session, timeout=30))
    answers.append(refused := fan.hold([seat]))
    servers.start_postgres()

    assert {answer.status_code for answer in answers} == {503}
    assert {answer.headers["Retry-After"] for answer in answers} == {"3"}
    assert "trying again never charges you twice" in refused.text
    form = dict(HIDDEN.findall(refused.text))
    assert form["seats"] == str(seat)
    reference = reference_in(fan.send(form))
    assert str(EventSeat.objects.get(pk=seat).hold.reference) == reference


@pytest.mark.parametrize("buyers", [100, pytest.param(2000, marks=pytest.mark.long)])
def test_a_sale_outlives_its_servers_and_keeps_every_promise(servers, office, buyers):
    # Seats for four of five; leases that do not end on a slow machine before the test says so.
    event = factories.opened_event(
        rows=2 * buyers * 4 // 5 // SEATS_PER_ROW,
        seats_per_row=SEATS_PER_ROW,
        lease_seconds=HOUR,
        max_lease_seconds=HOUR,
    )
    seats = EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)
    pairs = [list(pair) for pair in zip(seats[::2], seats[1::2], strict=True)]
    connection.close()

    with Crowd(office.url, event, pairs, buyers) as crowd:
        crowd.wait_for(lambda said: said.served >= 0.2 * buyers)
        servers.kill_postgres()
        told = crowd.promises.statuses[503] + AT_ONCE
        crowd.wait_for(lambda said: said.statuses[503] >= told)
        servers.start_postgres()
        crowd.wait_for(lambda said: said.served >= 0.4 * buyers)
        servers.kill_valkey()
        crowd.wait_for(lambda said: said.served >= 0.5 * buyers)
        servers.start_valkey()
        crowd.wait_for(lambda said: said.served >= 0.6 * buyers)
        servers.empty_valkey()
        crowd.wait_for(lambda said: said.served >= 0.7 * buyers)
        servers.freeze_valkey()
        crowd.wait_for(lambda said: said.served >= 0.8 * buyers)
        servers.thaw_valkey()
        crowd.finish()

    assert crowd.promises.served == buyers
    assert_kept(crowd.promises)
    assert_every_seat_has_its_owner_or_none(event)
    office.manage("reconcile_payments", "--all")
    office.manage("relay_outbox", "--here")
    assert list(audit.run()) == []

    let_the_leases_end(event)
    office.manage("expire_holds")
    assert not EventSeat.objects.filter(event=event, state=SeatState.HELD).exists()
    assert_every_seat_has_its_owner_or_none(event)
    assert_booked(crowd.promises)
    assert list(audit.run()) == []


def assert_kept(promises):
    """Nobody who was told that seats are his lost one."""
    for reference, seats in promises.held.items():
        hold = Hold.objects.get(reference=reference)
        assert hold.state in {HoldState.ACTIVE, HoldState.CONFIRMED}
        owned = EventSeat.objects.filter(hold=hold).order_by("pk").values_list("pk", flat=True)
        assert list(owned) == seats


def assert_booked(promises):
    bookings = Booking.objects.filter(secret__in=promises.booked, state=BookingState.CONFIRMED)
    assert len(bookings) == len(promises.booked) > 0
    assert Ticket.objects.filter(line__booking__in=bookings).count() == 2 * len(bookings)


def assert_every_seat_has_its_owner_or_none(event):
    seats = EventSeat.objects.filter(event=event)
    free = seats.filter(state=SeatState.AVAILABLE, hold=None).count()
    held = seats.filter(state=SeatState.HELD, hold__state=HoldState.ACTIVE).count()
    booked = seats.filter(state=SeatState.BOOKED, hold__state=HoldState.CONFIRMED).count()
    assert free + held + booked == seats.count()


def let_the_leases_end(event):
    passed = {
        name: F(name) - timedelta(hours=2)
        for name in ("created_at", "expires_at", "max_expires_at")
    }
    Hold.objects.filter(event=event, state=HoldState.ACTIVE).update(**passed)
