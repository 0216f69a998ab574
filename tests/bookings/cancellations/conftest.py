"""A booking of three seats, some of whose fees stay."""

import pytest

from events.models import Fee, FeeKind
from tests import factories
from tests.bookings.cancellations.asking import buy
from tests.bookings.conftest import tell_all


@pytest.fixture
def event(transactional_db):
    """50.00 a ticket, 3.00 of fees that stay with us, and 2.00 a booking that go back."""
    event = factories.opened_event(
        pool_capacity=10, fees={FeeKind.TICKET: 300, FeeKind.BOOKING: 200}
    )
    Fee.objects.filter(event=event, kind=FeeKind.TICKET).update(is_refundable=False)
    return event


@pytest.fixture
def sold(provider_here, sale, seats):
    """Three seats, captured, with tickets."""
    booking = buy(provider_here, sale, seats[:3])
    tell_all()
    return booking
