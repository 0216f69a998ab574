"""Races for what is bounded beside seats: the uses of a presale code, the places of an address."""

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction

from bookings.errors import AddressLimitReached
from bookings.models import Booking
from bookings.services import checkout, limits
from events import terms
from events.models import AccessCode
from inventory import selectors
from inventory.errors import AccessUsedUp
from inventory.models import EventSeat, Hold, HoldState, SeatState
from inventory.services import holds, locks
from tests import factories
from tests.inventory.asking import lapse, place
from tests.races.rivals import race, wait_until_somebody_waits
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)
RIVALS = 20


@pytest.fixture
def presale(event):
    """The terms of a fan who carries a code that is good for two purchases."""
    factories.presale_code(event, max_holds=2)
    return terms.of(event.pk, access=AccessCode.objects.get().pk)


def winners(outcomes):
    return [outcome.value for outcome in outcomes if outcome.refusal is None]


def refusals(outcomes):
    return {type(outcome.refusal) for outcome in outcomes if outcome.refusal}


def rivals(presale, seats):
    """As many fans as there are seats, each for one of his own, all with the same code."""
    return [partial(place, presale, [seat]) for seat in seats[:RIVALS]]


def test_the_last_use_of_a_code_is_one_fans(presale, seats):
    place(presale, seats[:1])

    outcomes = race(rivals(presale, seats[1:]))

    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {AccessUsedUp}
    assert Hold.objects.filter(access_code=presale.access.code_id).count() == 2
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 2
    assert list(audit.run()) == []


def test_without_its_lock_a_code_is_used_by_many(presale, seats, monkeypatch):
    everyone, together = threading.Barrier(RIVALS), threading.Event()

    def come_together(_code):
        # Who is refused looks once more, for lapsed holds: by then nobody waits for anybody.
        if not together.is_set():
            everyone.wait(timeout=30)
            together.set()

    monkeypatch.setattr(locks, "access_code", come_together)

    outcomes = race(rivals(presale, seats))

    assert len(winners(outcomes)) > 2


def test_a_lapsed_use_that_is_being_paid_at_this_moment_is_not_given_away(presale, seats):
    place(presale, seats[:1])
    paying = place(presale, seats[1:2])
    in_time = paying.expires_at - timedelta(days=1)
    lapse(paying)
    met = []

    def take():
        try:
            place(presale, seats[2:3])
        except AccessUsedUp as refusal:
            met.append(refusal)
        connection.close()

    rival = threading.Thread(target=take)
    with transaction.atomic():
        holds.confirm(hold_id=paying.hold_id, fencing_token=paying.fencing_token, at=in_time)
        rival.start()
        wait_until_somebody_waits()
    rival.join()

    assert met
    assert Hold.objects.get(pk=paying.hold_id).state == HoldState.CONFIRMED


@pytest.fixture
def two_browsers(seats):
    """Three seats in each of two browsers, where one person may have four."""
    event = EventSeat.objects.get(pk=seats[0]).event
    type(event).objects.filter(pk=event.pk).update(limit_per_fan=4)
    sale = terms.of(event.pk)
    placed = [place(sale, seats[:3], owner="a"), place(sale, seats[3:6], owner="b")]
    return [
        partial(
            checkout.start,
            hold=selectors.hold_by_id(each.hold_id),
            name="Ada",
            email=email,
            terms=sale,
        )
        for each, email in zip(placed, ["ada@example.org", "Ada+2@Example.org"], strict=True)
    ]


def test_one_address_in_two_browsers_has_no_more_than_one_fan(two_browsers):
    outcomes = race(two_browsers)

    assert len(winners(outcomes)) == 1
    [refusal] = [outcome.refusal for outcome in outcomes if outcome.refusal]
    assert isinstance(refusal, AddressLimitReached)
    assert (refusal.owned, refusal.asked, refusal.limit) == (3, 3, 4)
    assert Booking.objects.count() == 1
    assert Hold.objects.exclude(payment_started_at=None).count() == 1


def test_without_its_lock_one_address_gets_more(two_browsers, monkeypatch):
    everyone = threading.Barrier(2)
    check = limits.check

    def check_together(**values):
        check(**values)
        everyone.wait(timeout=30)

    monkeypatch.setattr(limits, "lock", lambda **_: None)
    monkeypatch.setattr(limits, "check", check_together)

    assert len(winners(race(two_browsers))) == 2
