from datetime import timedelta

import pytest

from events import terms
from inventory import selectors
from inventory.errors import HoldLost
from inventory.models import AdmissionPool, EventSeat, Hold, HoldState, SeatState
from inventory.services import holds
from tests import factories
from tests.inventory.asking import confirm, lapse, place, start_payment


@pytest.fixture
def placed(sale, seats):
    return place(sale, seats[:2], owner="a")


def test_an_extension_gives_a_full_lease_from_now(placed, sale):
    later = placed.expires_at - timedelta(seconds=10)

    until = holds.extend(reference=placed.reference, owner="a", terms=sale, at=later)

    assert until == later + sale.lease


def test_no_extension_carries_a_hold_over_its_cap(placed, sale):
    cap = Hold.objects.get(pk=placed.hold_id).max_expires_at
    until = placed.expires_at
    while until < cap:
        at = until - timedelta(seconds=1)
        until = holds.extend(reference=placed.reference, owner="a", terms=sale, at=at)

    assert until == cap
    at = cap - timedelta(seconds=1)
    assert holds.extend(reference=placed.reference, owner="a", terms=sale, at=at) == cap


def test_a_lapsed_lease_is_never_revived(placed, sale):
    with pytest.raises(HoldLost):
        holds.extend(reference=placed.reference, owner="a", terms=sale, at=placed.expires_at)


def test_nobody_extends_or_releases_what_is_another_fans(placed, sale):
    with pytest.raises(HoldLost):
        holds.extend(reference=placed.reference, owner="b", terms=sale)
    with pytest.raises(HoldLost):
        holds.release(reference=placed.reference, owner="b")


def test_a_payment_extends_the_lease_once(placed, sale):
    until = start_payment(placed, sale)
    again = start_payment(placed, sale, at=until - timedelta(seconds=1))

    assert until > placed.expires_at
    assert again == until


def test_release_frees_the_seats_and_only_once(placed, seats):
    assert holds.release(reference=placed.reference, owner="a") is True
    assert holds.release(reference=placed.reference, owner="a") is False

    assert EventSeat.objects.filter(pk__in=seats, state=SeatState.AVAILABLE).count() == 20
    assert Hold.objects.get(pk=placed.hold_id).state == HoldState.RELEASED


def test_confirm_books_every_seat(placed, seats):
    confirm(placed)

    assert EventSeat.objects.filter(state=SeatState.BOOKED, hold_id=placed.hold_id).count() == 2
    assert Hold.objects.get(pk=placed.hold_id).state == HoldState.CONFIRMED


def test_confirm_with_an_older_token_is_refused(placed, seats):
    with pytest.raises(HoldLost):
        confirm(placed, token=placed.fencing_token - 1)

    assert not EventSeat.objects.filter(state=SeatState.BOOKED).exists()


def test_confirm_of_a_lapsed_hold_is_refused(placed):
    lapse(placed)

    with pytest.raises(HoldLost):
        confirm(placed)

    assert not EventSeat.objects.filter(state=SeatState.BOOKED).exists()


def test_confirm_of_a_hold_that_lost_a_seat_changes_nothing(placed, seats):
    # What no service does: somebody else's token on one of the seats.
    EventSeat.objects.filter(pk=seats[0]).update(fencing_token=placed.fencing_token + 1)

    with pytest.raises(HoldLost):
        confirm(placed)

    assert not EventSeat.objects.filter(state=SeatState.BOOKED).exists()
    assert Hold.objects.get(pk=placed.hold_id).state == HoldState.ACTIVE


def test_a_confirmed_hold_neither_expires_nor_releases(placed):
    confirm(placed)
    lapse(placed)

    assert holds.expire_batch(limit=10) == 0
    assert holds.release(reference=placed.reference, owner="a") is False


def test_an_old_expiry_does_not_touch_the_seats_new_owner(placed, sale, seats):
    new = place(sale, seats[:2], owner="b", at=placed.expires_at)

    assert holds.expire_batch(limit=10, at=placed.expires_at) == 0

    owners = set(EventSeat.objects.filter(pk__in=seats[:2]).values_list("hold_id", flat=True))
    assert owners == {new.hold_id}


def test_expiry_ends_only_what_has_lapsed(sale, seats):
    old = place(sale, seats[:2])
    lapse(old)
    live = place(sale, seats[2:4])

    assert holds.expire_all(batch=1) == 1

    assert Hold.objects.get(pk=old.hold_id).state == HoldState.EXPIRED
    assert Hold.objects.get(pk=live.hold_id).state == HoldState.ACTIVE
    assert EventSeat.objects.filter(state=SeatState.HELD).count() == 2


def test_a_lapsed_hold_shows_as_free_before_anybody_swept(placed, event, seats):
    lapse(placed)
    [level] = selectors.levels(event.pk)

    assert (level.free, level.capacity) == (20, 20)
    assert all(
        seat.is_free for seat in selectors.seats(event_id=event.pk, section_id=level.section_id)
    )
    assert selectors.live_hold(event_id=event.pk, names=["a"]) is None


def test_pool_places_go_from_held_to_booked(db):
    event = factories.opened_event(rows=0, pool_capacity=5)
    pool = AdmissionPool.objects.get(event=event)
    placed = place(terms.of(event.pk), pools=[(pool.pk, 3)])

    confirm(placed)

    pool.refresh_from_db()
    assert (pool.held, pool.booked) == (0, 3)


def test_expired_pool_places_are_given_back(db):
    event = factories.opened_event(rows=0, pool_capacity=5)
    pool = AdmissionPool.objects.get(event=event)
    placed = place(terms.of(event.pk), pools=[(pool.pk, 3)])
    lapse(placed)
    assert selectors.pools(event.pk)[0].free == 5

    holds.expire_batch(limit=10)

    pool.refresh_from_db()
    assert (pool.held, pool.booked) == (0, 0)
