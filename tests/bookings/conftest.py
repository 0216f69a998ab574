import pytest

from bookings.services import checkout, paying
from inventory import selectors
from payments import selectors as payments
from tests import factories
from tests.bookings.asking import ask
from tests.inventory.asking import place
from tests.provider import KEY
from ticketing.kernel import outbox
from ticketing.kernel.models import OutboxMessage

ADDRESSES = paying.Addresses(paid="http://shop.test/paid", cancelled="http://shop.test/back")


@pytest.fixture
def provider_here(settings, provider):
    """The adapter talks to the local provider of this run."""
    settings.STRIPE_API_BASE = provider.base_url
    settings.STRIPE_SECRET_KEY = KEY
    return provider


@pytest.fixture
def event(transactional_db):
    return factories.opened_event()


@pytest.fixture
def hold(sale, seats):
    """Two seats of fan a."""
    return hold_of(place(sale, seats[:2], owner="a"))


def hold_of(placed):
    return selectors.hold_by_id(placed.hold_id)


def start(hold, sale):
    return checkout.start(hold=hold, name="Ada", email="ada@example.org", terms=sale)


def pay(booking):
    """Open the payment; what the fan does at the provider is another step."""
    paying.pay(booking=booking, description="Two seats", addresses=ADDRESSES)
    booking.refresh_from_db()
    return payments.payment(booking.payment_reference)


def session_of(booking):
    """The provider's session, from the address that the fan is sent to."""
    url = payments.payment(booking.payment_reference).checkout_url
    return url.rsplit("/", 1)[1].partition("?")[0]


def tell_all():
    """Tell every fact that waits, and those that come of it, slow handlers too."""
    while OutboxMessage.objects.filter(done_at=None, dead_at=None).exists():
        if not outbox.relay(limit=100, dispatch=outbox.run_here):
            return


@pytest.fixture
def held(client, event, seats):
    """The address of "your seats" of this client, two seats."""
    return ask(client, event, seats[:2])["Location"]


@pytest.fixture
def booking(hold, sale):
    """Pending, its payment open at the provider."""
    booking = start(hold, sale)
    pay(booking)
    return booking
