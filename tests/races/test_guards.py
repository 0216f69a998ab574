"""What stands when one guard is missing, and what does not: each is taken away alone.

A seat has three: its rows are locked and judged, the write names the state that was judged, and the
database's constraints refuse what may never be. Only without the first two is a seat sold twice.
"""

import random
import time
from contextlib import suppress
from functools import partial

import pytest
from django.db import OperationalError

from inventory.errors import AlreadyHolding, HoldLost, LimitReached, NotFree, PlacesTaken
from inventory.models import BlockKind, EventSeat, Hold, HoldLine, SeatState
from inventory.services import blocks, changing, grants, holds, judging, locks
from inventory.wishes import SeatWish, Wish
from tests.inventory.asking import confirm, place
from tests.races.rivals import race
from tests.races.test_holds import refusals, winners
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def no_lock(monkeypatch):
    monkeypatch.setattr(locks, "SEATS", locks.SEATS.replace("FOR UPDATE", ""))


@pytest.fixture
def no_condition(monkeypatch):
    monkeypatch.setattr(grants, "FOR_ALL", "true")


@pytest.fixture
def no_fan(monkeypatch):
    monkeypatch.setattr(locks, "fan", lambda **_: None)


@pytest.fixture
def in_any_order(monkeypatch):
    ordered, any_order = "ORDER BY id FOR UPDATE", "ORDER BY random() FOR UPDATE"
    monkeypatch.setattr(locks, "SEATS", locks.SEATS.replace(ordered, any_order))


@pytest.mark.parametrize("missing", ["no_lock", "no_condition"])
def test_without_one_of_its_guards_a_seat_is_still_one_fans(sale, seats, missing, request):
    request.getfixturevalue(missing)

    outcomes = race([lambda: place(sale, seats[:2])] * 20)

    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {PlacesTaken}
    assert list(audit.run()) == []


def test_without_the_fans_lock_one_key_is_still_one_hold(sale, seats, no_fan):
    """But not everybody hears of it: that is what the lock is for."""
    outcomes = race([lambda: place(sale, seats[:2], owner="a", key="k")] * 20)

    assert Hold.objects.count() == 1
    assert len(set(winners(outcomes))) == 1
    assert len(winners(outcomes)) < 20
    assert list(audit.run()) == []


def test_two_holds_of_one_fan_at_once_are_within_his_limit(sale, seats):
    confirm(place(sale, seats[:5], owner="a"))
    wishes = [seats[5:8], seats[8:11], seats[11:14]]

    outcomes = race([partial(place, sale, wish, owner="a") for wish in wishes])

    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) <= {LimitReached, AlreadyHolding}
    assert _places_of("a") == 8


def test_without_counting_he_gets_more(sale, seats, monkeypatch):
    monkeypatch.setattr(judging, "check_limit", lambda *_, **__: None)
    confirm(place(sale, seats[:5], owner="a"))

    place(sale, seats[5:10], owner="a")

    assert _places_of("a") == 10


def test_a_seat_is_blocked_or_held_and_never_both(sale, seats):
    outcomes = race(
        [partial(place, sale, seats[:2]), partial(_block, sale, seats[1:3])] * 10,
    )

    assert refusals(outcomes) == {PlacesTaken, NotFree}
    assert len(winners(outcomes)) == 1
    assert list(audit.run()) == []


def test_without_lock_and_condition_a_seat_is_held_that_was_just_blocked(
    sale, seats, no_lock, no_condition, monkeypatch
):
    write = grants.new_hold

    def write_after_a_block(**values):
        _block_elsewhere(sale, seats[:1])
        return write(**values)

    monkeypatch.setattr(grants, "new_hold", write_after_a_block)

    place(sale, seats[:1])

    assert EventSeat.objects.get(pk=seats[0]).state == SeatState.HELD


def test_a_hold_that_two_tabs_change_ends_as_one_of_them_said(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    wishes = [seats[1:4], seats[4:6], [seats[0], seats[6]]]

    outcomes = race([partial(_change, sale, placed, wish) for wish in wishes * 4])

    assert refusals(outcomes) == set()
    assert _seats_of(placed) in wishes
    assert list(audit.run()) == []


def test_a_hold_is_sold_as_it_was_or_changed_and_never_half(sale, seats):
    placed = place(sale, seats[:2], owner="a")

    outcomes = race([partial(_change, sale, placed, seats[2:5]), partial(confirm, placed)])

    # The change drew a new token, or the sale ended the hold.
    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {HoldLost}
    assert _seats_of(placed) in [seats[:2], seats[2:5]]


def test_fans_who_swap_seats_with_each_other_never_deadlock(sale, seats):
    ann, ben = place(sale, seats[:3], owner="a"), place(sale, seats[3:6], owner="b")
    attempts = [
        partial(_change, sale, ann, seats[2:5], owner="a"),
        partial(_change, sale, ben, seats[1:4], owner="b"),
    ]

    outcomes = race(attempts * 10)

    assert refusals(outcomes) <= {PlacesTaken}
    assert list(audit.run()) == []


def test_rows_locked_in_any_order_do_deadlock(sale, seats, in_any_order):
    """The control of the one order."""
    for _ in range(20):
        outcomes = race([partial(_try_to_place, sale, seats)] * 10)
        if OperationalError in refusals(outcomes):
            return
    pytest.fail("no deadlock was seen in twenty rounds")


def _try_to_place(sale, seats):
    with suppress(PlacesTaken):
        placed = place(sale, seats[:8], owner=(owner := str(random.random())))
        holds.release(reference=placed.reference, owner=owner)


@pytest.mark.deep
def test_random_triples_for_half_a_minute(sale, seats):
    """Nobody ever meets an error of the database, and nothing is lost or double."""
    ends = time.monotonic() + 30

    def fan(number):
        chance, owner = random.Random(number), f"fan {number}"
        rounds = 0
        while time.monotonic() < ends:
            wish = chance.sample(seats[:8], 3)
            with suppress(PlacesTaken):
                placed = place(sale, wish, owner=owner)
                if chance.random() < 0.3:
                    with suppress(PlacesTaken):
                        _change(sale, placed, chance.sample(seats[:8], 3), owner=owner)
                holds.release(reference=placed.reference, owner=owner)
            rounds += 1
        return rounds

    outcomes = race([partial(fan, number) for number in range(8)])

    assert refusals(outcomes) == set()
    assert all(rounds > 10 for rounds in winners(outcomes))
    assert set(EventSeat.objects.values_list("state", flat=True)) == {SeatState.AVAILABLE}
    assert list(audit.run()) == []


def _block(sale, seats):
    return blocks.block(
        event_id=sale.event_id, seat_ids=seats, kind=BlockKind.HOUSE, reason="for the band"
    )


def _block_elsewhere(sale, seats):
    [outcome] = race([partial(_block, sale, seats)])
    assert outcome.refusal is None


def _change(sale, placed, seats, owner="a"):
    wish = Wish(seats=tuple(SeatWish(seat) for seat in seats))
    return changing.change(reference=placed.reference, owner=owner, terms=sale, wish=wish)


def _seats_of(placed):
    rows = EventSeat.objects.filter(hold_id=placed.hold_id).order_by("pk")
    return list(rows.values_list("pk", flat=True))


def _places_of(owner):
    return HoldLine.objects.filter(hold__owner=owner).exclude(hold__state="expired").count()
