"""Holds of a presale: who may place one, and how many go by one code."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from events import terms, uses
from events.errors import CodeRefused
from events.models import AccessCode, OnSale, OnSaleKind
from inventory import selectors
from inventory.errors import AccessNeeded, AccessUsedUp, LimitReached, SaleClosed
from inventory.models import EventSeat, Hold, HoldState, SeatState
from inventory.services import access, cancelling, changing, holds
from inventory.wishes import SeatWish, Wish
from tests import factories
from tests.inventory.asking import confirm, lapse, place
from ticketing.kernel import attempts
from ticketing.kernel.loadboard import valkey

pytestmark = pytest.mark.django_db


def carrying(event, **limits):
    """The terms of a fan who carries a new code of the presale that runs now."""
    factories.presale_code(event, **limits)
    return terms.of(event.pk, access=AccessCode.objects.latest("pk").pk)


def cancel(placed, seats):
    with transaction.atomic():
        cancelling.cancel(
            hold_id=placed.hold_id,
            fencing_token=placed.fencing_token,
            seat_ids=seats,
            returns_to=None,
        )


def test_in_a_presale_a_code_holds_seats_and_nothing_else_does(event, seats):
    presale = carrying(event)

    with pytest.raises(AccessNeeded) as refusal:
        place(terms.of(event.pk), seats[:1])
    assert refusal.value.opens_at == presale.windows[0][0]
    placed = place(presale, seats[:1])

    assert Hold.objects.get(pk=placed.hold_id).access_code_id == presale.access.code_id


def test_when_the_presale_is_over_its_code_opens_nothing(event, seats):
    presale = carrying(event)
    closes = presale.access.closes_at
    OnSale.objects.filter(event=event, kind=OnSaleKind.PUBLIC).update(
        opens_at=closes + timedelta(hours=1)
    )

    with pytest.raises(SaleClosed) as refusal:
        place(terms.of(event.pk, access=presale.access.code_id), seats[:1], at=closes)

    assert not isinstance(refusal.value, AccessNeeded)


def test_in_the_public_sale_no_code_is_used_up(event, seats):
    presale = carrying(event, max_holds=1)
    public = presale.windows[0][0]

    placed = [place(presale, [seat], at=public) for seat in seats[:2]]

    assert {Hold.objects.get(pk=each.hold_id).access_code_id for each in placed} == {None}


def test_a_code_is_good_for_as_many_live_holds_and_bookings_as_it_says(event, seats):
    presale = carrying(event, max_holds=2)
    confirm(place(presale, seats[:1]))
    place(presale, seats[1:2])

    with pytest.raises(AccessUsedUp):
        place(presale, seats[2:3])

    assert EventSeat.objects.get(pk=seats[2]).state == SeatState.AVAILABLE
    assert uses.of([presale.access.code_id]) == {presale.access.code_id: 2}


def test_another_code_is_not_used_up_with_it(event, seats):
    place(carrying(event, max_holds=1), seats[:1])

    assert place(carrying(event, max_holds=1), seats[1:2])


@pytest.mark.parametrize("gone", ["released", "lapsed", "cancelled"])
def test_a_use_comes_back_when_the_seats_do(event, seats, gone):
    presale = carrying(event, max_holds=1)
    first = place(presale, seats[:1], owner="a")
    if gone == "released":
        holds.release(reference=first.reference, owner="a")
    elif gone == "lapsed":
        lapse(first)
    else:
        confirm(first)
        cancel(first, seats[:1])

    assert uses.of([presale.access.code_id]) == {}
    assert place(presale, seats[1:2])
    if gone == "lapsed":
        assert Hold.objects.get(pk=first.hold_id).state == HoldState.EXPIRED


def test_the_same_key_again_is_the_same_hold_and_one_use(event, seats):
    presale = carrying(event, max_holds=1)
    first = place(presale, seats[:1], owner="a", key="k")

    assert place(presale, seats[:1], owner="a", key="k") == first


def test_a_code_may_allow_a_fan_fewer_places_than_the_event(event, seats):
    presale = carrying(event, max_places=2)
    confirm(place(presale, seats[:1], owner="a"))

    with pytest.raises(LimitReached) as refusal:
        place(presale, seats[1:3], owner="a")
    assert (refusal.value.limit, refusal.value.owned) == (2, 1)
    assert place(presale, seats[1:2], owner="a")


def test_a_hold_of_a_presale_can_be_changed_with_its_code(event, seats):
    presale = carrying(event, max_holds=1)
    placed = place(presale, seats[:1], owner="a")

    changing.change(
        reference=placed.reference,
        owner="a",
        terms=presale,
        wish=Wish(seats=(SeatWish(seats[1]), SeatWish(seats[2]))),
    )

    assert selectors.seat_ids(placed.hold_id) == seats[1:3]


@pytest.fixture
def code(event):
    for key in valkey().scan_iter("attempts:*"):
        valkey().delete(key)
    return factories.presale_code(event, max_holds=1)


def redeem(event, code, browser="b", network="192.0.2.1"):
    return access.redeem(
        event_id=event.pk, code=code, browser=browser, network=network, at=timezone.now()
    )


def test_a_right_code_is_recognised(event, code):
    assert redeem(event, code).code_id == AccessCode.objects.get().pk


def test_a_code_that_is_used_up_is_refused_like_a_wrong_one(event, code, seats):
    place(terms.of(event.pk, access=AccessCode.objects.get().pk), seats[:1])

    with pytest.raises(CodeRefused) as used:
        redeem(event, code)
    with pytest.raises(CodeRefused) as wrong:
        redeem(event, "BK7M-2QXD-9RTV")

    assert str(used.value) == str(wrong.value) == ""


def test_a_browser_may_guess_a_few_times(event, code):
    for _ in range(access.PER_BROWSER):
        with pytest.raises(CodeRefused):
            redeem(event, "wrong code")

    with pytest.raises(attempts.TooManyAttempts):
        redeem(event, code)
    assert redeem(event, code, browser="another")


def test_a_network_may_guess_more_often_whatever_browsers_it_invents(event, code, monkeypatch):
    monkeypatch.setattr(access, "PER_NETWORK", 5)
    for number in range(5):
        with pytest.raises(CodeRefused):
            redeem(event, "wrong code", browser=f"browser {number}")

    with pytest.raises(attempts.TooManyAttempts):
        redeem(event, code, browser="new")
    assert redeem(event, code, browser="new", network="192.0.2.2")


def test_right_codes_of_a_whole_school_are_no_guesses(event, code, monkeypatch):
    monkeypatch.setattr(access, "PER_NETWORK", 1)

    assert all(redeem(event, code, browser=f"browser {n}") for n in range(5))


def test_guesses_at_one_event_do_not_close_another(event, code, monkeypatch):
    monkeypatch.setattr(access, "PER_BROWSER", 1)
    other = factories.opened_event()
    theirs = factories.presale_code(other)
    with pytest.raises(CodeRefused):
        redeem(event, "wrong code")

    assert redeem(other, theirs)
