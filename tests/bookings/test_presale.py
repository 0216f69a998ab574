"""A purchase that goes by a presale code."""

import pytest

from bookings.models import BookingState, LapseReason
from bookings.services import checkout
from events import terms
from events.models import AccessCode
from inventory.models import Hold
from tests import factories
from tests.bookings.conftest import hold_of, start
from tests.inventory.asking import lapse, place

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def presale(event):
    factories.presale_code(event, max_holds=1)
    return terms.of(event.pk, access=AccessCode.objects.get().pk)


def pay_too_late(presale, seats):
    """The booking whose money arrives when its lease is over, with nobody there to show a code."""
    booking = start(hold_of(place(presale, seats[:2], owner="a")), presale)
    lapse(booking)
    return booking


def test_late_money_takes_the_same_seats_again_by_the_same_code(event, presale, seats):
    booking = pay_too_late(presale, seats)

    checkout.confirm_or_lapse(booking=booking, terms=terms.of(event.pk))

    assert booking.state == BookingState.CONFIRMED
    assert Hold.objects.get(pk=booking.hold_id).access_code_id == presale.access.code_id


def test_late_money_uses_no_code_that_another_fan_has_used_since(event, presale, seats):
    booking = pay_too_late(presale, seats)
    place(presale, seats[4:5], owner="b")

    checkout.confirm_or_lapse(booking=booking, terms=terms.of(event.pk))

    assert (booking.state, booking.lapse_reason) == (BookingState.LAPSED, LapseReason.LATE)
