"""A relay dies while it tells of a booking: tickets are made once, and the money is taken once."""

import pytest
from django.utils import timezone

from bookings.models import Ticket
from bookings.services import paying
from payments import selectors as payments
from tests.bookings.conftest import hold_of, pay, session_of, start
from tests.inventory.asking import place
from ticketing.kernel import audit
from ticketing.kernel.models import OutboxMessage

pytestmark = pytest.mark.django_db(transaction=True)

RELAY = "relay_outbox --here"
# The facts are claimed; a handler has its row; its work is done and not committed; the money is to
# be taken; it was taken, and nobody wrote it down.
LONG = pytest.mark.long
POINTS = [
    pytest.param('UPDATE "kernel_outboxmessage"', "after", marks=LONG),
    pytest.param('INSERT INTO "kernel_delivery"', "after", marks=LONG),
    ('INSERT INTO "bookings_ticket"', "after"),
    pytest.param('INSERT INTO "payments_providercall"', "before", marks=LONG),
    pytest.param('INSERT INTO "payments_providercall"', "after", marks=LONG),
    ('UPDATE "payments_providercall"', "before"),
]


@pytest.fixture
def booking(settings, provider, sale, seats):
    """Confirmed, and nobody has been told yet."""
    settings.STRIPE_API_BASE = provider.base_url
    booking = start(hold_of(place(sale, seats[:2], owner="a")), sale)
    pay(booking)
    provider.pay(session_of(booking))
    return paying.refresh(booking=booking)


@pytest.mark.parametrize(("text", "moment"), POINTS)
def test_what_a_dead_relay_began_the_next_one_ends(shop, booking, text, moment):
    point = shop.postgres.strike_at(text, moment, lambda: shop.office.kill(RELAY))
    shop.start(RELAY)
    assert point.over.wait(timeout=30)
    assert OutboxMessage.objects.filter(done_at=None).exists()

    OutboxMessage.objects.update(available_at=timezone.now())
    shop.office.manage(*RELAY.split())

    assert not OutboxMessage.objects.filter(done_at=None).exists()
    assert Ticket.objects.count() == 2
    assert payments.payment(booking.payment_reference).captured == booking.total
    assert list(audit.run()) == []
