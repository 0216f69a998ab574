"""The web process dies with SIGKILL while it asks the provider: the booking is not lost."""

import http.server
import threading
from types import SimpleNamespace

import pytest
import requests

from bookings.models import Booking, BookingState, Ticket
from events import terms
from inventory.models import EventSeat, SeatState
from payments import selectors as payments
from tests import factories
from tests.bookings.conftest import hold_of, pay, session_of, start
from tests.inventory.asking import place
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def booking(settings, provider):
    """Pending, its session open at the provider; the lease is live for minutes."""
    settings.STRIPE_API_BASE = provider.base_url
    event = factories.opened_event()
    sale = terms.of(event.pk)
    seats = EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)
    booking = start(hold_of(place(sale, list(seats[:2]), owner="a")), sale)
    pay(booking)
    return booking


@pytest.fixture
def silence():
    """A provider that takes a request and never answers it; says when it has one."""
    asked = threading.Event()

    class Silent(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.set()
            over.wait()

    over = threading.Event()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield SimpleNamespace(url=f"http://127.0.0.1:{server.server_port}", asked=asked)
    over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_web_process_killed_in_the_return_view_loses_nothing(office, provider, booking, silence):
    provider.control("webhook")
    provider.pay(session_of(booking))
    office.start("web", STRIPE_API_BASE=silence.url)
    fan = threading.Thread(target=_come_back, args=(office, booking))
    fan.start()
    assert silence.asked.wait(timeout=20)

    office.kill("web")
    fan.join()
    assert Booking.objects.get().state == BookingState.PENDING

    office.manage("reconcile_payments", "--all")
    office.manage("relay_outbox", "--here")

    assert Booking.objects.get().state == BookingState.CONFIRMED
    assert EventSeat.objects.filter(state=SeatState.BOOKED).count() == 2
    assert Ticket.objects.count() == 2
    assert payments.payment(booking.payment_reference).captured == booking.total
    assert len(office.mails()) == 1
    assert list(audit.run()) == []


def _come_back(office, booking):
    address = f"{office.url}/bookings/{booking.secret}/return/"
    with pytest.raises(requests.RequestException):
        requests.get(address, timeout=30)
