"""What a visitor holds becomes his account's at login."""

import pytest

from events import terms
from inventory import selectors
from inventory.errors import AlreadyHolding, LimitReached
from inventory.models import EventSeat, Hold, HoldState
from inventory.services import changing, holds, joining, placing
from inventory.wishes import SeatWish, Wish
from tests import factories
from tests.inventory.asking import confirm, lapse, place
from tests.races.rivals import race
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def gate(settings):
    settings.GATE = True


def join():
    return joining.join(visitor="visitor", account="account")


def owner_of(placed):
    return Hold.objects.get(pk=placed.hold_id).owner


def again(sale, seats, key):
    """The same form once more, now that the fan is logged in."""
    return placing.place(
        terms=sale,
        owner="account",
        also="visitor",
        key=key,
        wish=Wish(seats=tuple(SeatWish(seat) for seat in seats)),
    )


def test_what_is_held_and_bought_becomes_the_accounts(sale, seats):
    bought = place(sale, seats[:1], owner="visitor")
    confirm(bought)
    held = place(sale, seats[1:3], owner="visitor")

    assert join() == 2

    assert owner_of(bought) == owner_of(held) == "account"
    assert {hold.creator for hold in Hold.objects.all()} == {"visitor"}
    found = selectors.live_hold(event_id=sale.event_id, names=["account"])
    assert found.reference == held.reference
    assert selectors.hold(reference=held.reference, owner="visitor") is None
    assert join() == 0


def test_the_same_form_after_login_is_the_same_hold(gate, sale, seats):
    first = place(sale, seats[:2], owner="visitor", key="k")
    join()

    assert again(sale, seats[:2], "k") == first


def test_a_form_sent_before_login_and_again_after_it_is_one_hold_though_nothing_was_joined(
    gate, sale, seats
):
    first = place(sale, seats[:2], owner="visitor", key="k")

    assert again(sale, seats[:2], "k") == first
    assert Hold.objects.count() == 1


def test_seats_that_a_joined_hold_lets_go_can_be_taken_through_the_gate(gate, sale, seats):
    placed = place(sale, seats[:2], owner="visitor")
    join()

    holds.release(reference=placed.reference, owner="account")

    assert place(sale, seats[:2], owner="somebody else")


def test_where_the_account_holds_seats_already_the_visitors_stay_his(sale, seats):
    own = place(sale, seats[:1], owner="account")
    visitors = place(sale, seats[1:2], owner="visitor")

    assert join() == 0

    assert (owner_of(own), owner_of(visitors)) == ("account", "visitor")


def test_a_lapsed_hold_of_the_account_is_in_nobodys_way(sale, seats):
    old = place(sale, seats[:1], owner="account")
    lapse(old)
    placed = place(sale, seats[1:2], owner="visitor")

    assert join() == 1

    assert owner_of(placed) == "account"
    assert Hold.objects.get(pk=old.hold_id).state == HoldState.EXPIRED
    assert list(audit.run()) == []


def test_a_lapsed_hold_of_the_visitor_is_not_taken_along(sale, seats):
    placed = place(sale, seats[:1], owner="visitor")
    lapse(placed)

    assert join() == 0

    assert owner_of(placed) == "visitor"
    assert EventSeat.objects.get(pk=seats[0]).state == "available"


def test_a_key_that_the_account_has_used_stays_with_the_visitor(sale, seats):
    other = factories.opened_event()
    seat = EventSeat.objects.filter(event=other).earliest("pk")
    place(terms.of(other.pk), [seat.pk], owner="account", key="k")
    placed = place(sale, seats[:1], owner="visitor", key="k")

    assert join() == 0

    assert owner_of(placed) == "visitor"


def test_every_event_is_joined_on_its_own(sale, seats):
    other = factories.opened_event()
    seat = EventSeat.objects.filter(event=other).earliest("pk")
    place(sale, seats[:1], owner="visitor")
    place(terms.of(other.pk), [seat.pk], owner="visitor")

    assert join() == 2


def test_the_limit_counts_what_a_fan_has_under_both_names(sale, seats):
    for owner in ["visitor", "account"]:
        confirm(place(sale, seats[:4] if owner == "visitor" else seats[4:8], owner=owner))

    with pytest.raises(LimitReached) as refusal:
        again(sale, seats[8:9], "new")

    assert (refusal.value.owned, refusal.value.limit) == (8, 8)


def test_a_fan_who_holds_seats_under_his_other_name_is_led_to_them(sale, seats):
    placed = place(sale, seats[:1], owner="visitor")

    with pytest.raises(AlreadyHolding) as refusal:
        again(sale, seats[1:2], "new")

    assert refusal.value.reference == placed.reference


def test_a_login_and_a_purchase_elsewhere_at_one_moment_leave_one_live_hold(sale, seats):
    visitors = place(sale, seats[:1], owner="visitor")

    joined, bought = race([join, lambda: place(sale, seats[1:2], owner="account")])

    assert joined.refusal is None
    assert isinstance(bought.refusal, AlreadyHolding) is (joined.value == 1)
    assert owner_of(visitors) == ("account" if joined.value else "visitor")
    live = Hold.objects.filter(owner="account", state=HoldState.ACTIVE)
    assert live.count() == 1


def test_a_change_counts_what_a_fan_holds_under_his_other_name(sale, seats):
    place(sale, seats[:5], owner="visitor")
    own = place(sale, seats[5:6], owner="account")
    wish = Wish(seats=tuple(SeatWish(seat) for seat in seats[5:9]))

    with pytest.raises(LimitReached) as refusal:
        changing.change(
            reference=own.reference, owner="account", also="visitor", terms=sale, wish=wish
        )

    assert (refusal.value.owned, refusal.value.asked) == (5, 4)
