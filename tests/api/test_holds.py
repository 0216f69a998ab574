"""What a partner's program meets at the doors to holds."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.utils import timezone

from events.models import Event, Fare, FeeKind, OnSale
from inventory.models import AdmissionPool, EventSeat, Hold, HoldState, SeatState
from tests import factories
from tests.api.asking import ask, change, problem, seats_of
from tests.inventory.asking import place
from ticketing.accounts.models import Partner, Scope

pytestmark = pytest.mark.django_db


def test_a_wish_holds_its_places_and_says_what_they_cost(blue):
    event = factories.opened_event(
        pool_capacity=5, fees={FeeKind.TICKET: 150, FeeKind.BOOKING: 200}
    )
    seat = EventSeat.objects.filter(event=event).earliest("seat__index")
    pool = AdmissionPool.objects.get(event=event)
    child = Fare.objects.get(event=event, name="Child")

    response = ask(blue, event, [seat.pk], pools=[{"id": pool.pk, "places": 2, "fare": child.pk}])

    assert response.status_code == 201
    said = response.json()
    assert [(line["seat"], line["pool"], line["places"]) for line in said["lines"]] == [
        (seat.pk, None, 1),
        (None, pool.pk, 2),
    ]
    assert said["lines"][0]["label"] == "Stalls, Row A, seat 1"
    assert said["lines"][0]["price"] == {"minor": 5150, "currency": "EUR"}
    assert said["lines"][0]["fee"] == {"minor": 150, "currency": "EUR"}
    assert said["total"] == {"minor": 5150 + 2 * 2650 + 200, "currency": "EUR"}
    assert said["state"] == "active"
    now, end = (datetime.fromisoformat(said[name]) for name in ("now", "expires_at"))
    assert timedelta(0) < end - now <= timedelta(minutes=7)
    assert blue.get(response["Location"]).json() | {"now": 0} == said | {"now": 0}
    assert "no-store" in response["Cache-Control"]


def test_the_same_key_and_wish_are_the_same_hold(blue, event, seats):
    first, second = ask(blue, event, seats[:2]), ask(blue, event, seats[1::-1])

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() | {"now": 0} == second.json() | {"now": 0}
    assert Hold.objects.count() == 1


def test_the_same_key_and_another_wish_changes_nothing(blue, event, seats, held):
    assert problem(ask(blue, event, seats[:3])) == "idempotency-key-reused"
    assert ask(blue, event, seats[:3]).status_code == 422

    assert seats_of(blue.get(held)) == set(seats[:2])


def test_the_same_key_at_another_event_is_another_wish(blue, held):
    other = factories.opened_event()
    seat = EventSeat.objects.filter(event=other).first()

    assert problem(ask(blue, other, [seat.pk])) == "idempotency-key-reused"


def test_a_key_is_its_owners(blue, caller, event, seats, held):
    red = caller("Red Tickets")

    response = ask(red, event, seats[2:4])

    assert response.status_code == 201
    assert response["Location"] != held
    assert problem(ask(red, event, seats[:2], key="other")) == "already-holding"


@pytest.mark.parametrize("key", [None, "", "x" * 201, "two words", "ключ", "a\0b"])
def test_a_wish_without_a_good_key_is_refused(blue, event, seats, key):
    headers = {} if key is None else {"idempotency-key": key}

    response = blue.post(
        f"/api/v1/events/{event.slug}/holds/",
        {"seats": [{"id": seats[0]}]},
        content_type="application/json",
        headers=headers,
    )

    assert problem(response) == "idempotency-key-needed"
    assert not Hold.objects.exists()


def test_a_key_whose_hold_is_over_asks_for_a_new_one(blue, event, seats, held):
    blue.delete(held)

    response = ask(blue, event, seats[:2])

    assert problem(response) == "hold-ended"
    assert response.json()["hold"] in held
    assert ask(blue, event, seats[:2], key="new").status_code == 201


def test_taken_seats_are_named_and_nothing_is_held(blue, event, seats, sale):
    place(sale, seats[:2])

    response = ask(blue, event, seats[:3])

    assert problem(response) == "seats-taken"
    assert response.status_code == 409
    assert response.json()["taken"] == [
        {"seat": seats[0], "label": "Row A, seat 1"},
        {"seat": seats[1], "label": "Row A, seat 2"},
    ]
    assert EventSeat.objects.get(pk=seats[2]).state == SeatState.AVAILABLE


def test_a_pool_that_is_full_is_named(blue):
    event = factories.opened_event(rows=0, pool_capacity=3)
    pool = AdmissionPool.objects.get(event=event)

    response = ask(blue, event, pools=[{"id": pool.pk, "places": 4}])

    assert problem(response) == "pool-full"
    assert response.json()["pools"] == [pool.pk]


def test_unknown_seats_and_those_of_another_event_are_named(blue, event, seats):
    stranger = EventSeat.objects.filter(event=factories.opened_event()).first()

    response = ask(blue, event, [seats[0], stranger.pk, 2**63 - 1])

    assert problem(response) == "unknown-places"
    assert response.json()["seats"] == [stranger.pk, 2**63 - 1]
    assert problem(ask(blue, event, pools=[{"id": 1, "places": 1}])) == "unknown-places"
    assert not Hold.objects.exists()


def test_more_than_the_limit_is_refused_with_the_limit_said(blue, event, seats):
    response = ask(blue, event, seats[:9])

    assert problem(response) == "limit-reached"
    assert response.json() | {"limit": 8, "owned": 0, "asked": 9} == response.json()


def test_a_fare_that_is_not_sold_is_named(blue, event, seats):
    response = ask(blue, event, [{"id": seats[0], "fare": 2**62}])

    assert problem(response) == "no-such-price"
    assert response.json()["fare"] == 2**62


def test_who_holds_already_is_told_what(blue, event, seats, held):
    response = ask(blue, event, seats[4:5], key="another")

    assert problem(response) == "already-holding"
    assert response.json()["hold"] in held


@pytest.mark.usefixtures("gate_on")
@pytest.mark.django_db(transaction=True)
def test_who_asks_for_his_own_seats_again_is_told_that_he_holds_them(blue, event, seats):
    held = ask(blue, event, seats[:2])["Location"]

    response = ask(blue, event, seats[1:3], key="another")

    assert problem(response) == "already-holding"
    assert response.json()["hold"] in held


def test_before_the_sale_it_says_when_it_opens(blue, event, seats):
    opens = timezone.now() + timedelta(days=1)
    OnSale.objects.filter(event=event).update(opens_at=opens)

    response = ask(blue, event, seats[:1])

    assert problem(response) == "sale-closed"
    assert abs(datetime.fromisoformat(response.json()["opens_at"]) - opens) < timedelta(seconds=1)


def test_a_paused_sale_is_closed_and_a_draft_is_not_there(blue, event, seats):
    Event.objects.filter(pk=event.pk).update(is_paused=True)

    assert problem(ask(blue, event, seats[:1])) == "sale-closed"
    assert problem(ask(blue, factories.draft_event(), seats[:1])) == "not-found"
    assert problem(ask(blue, Event(slug="nowhere"), seats[:1])) == "not-found"


BAD = [
    ({"seats": []}, "bad-wish"),
    ({}, "bad-wish"),
    ({"seats": [{"id": 1}, {"id": 1}]}, "bad-wish"),
    ({"seats": [{"id": "1"}]}, "invalid"),
    ({"seats": [{"id": True}]}, "invalid"),
    ({"seats": [{"id": 1.5}]}, "invalid"),
    ({"seats": [{"id": 0}]}, "invalid"),
    ({"seats": [{"id": 2**63}]}, "invalid"),
    ({"seats": [{}]}, "invalid"),
    ({"seats": [1]}, "invalid"),
    ({"seats": {"id": 1}}, "invalid"),
    ({"seats": None}, "invalid"),
    ({"seats": [{"id": n + 1} for n in range(201)]}, "invalid"),
    ({"seats": [{"id": 1, "fair": 2}]}, "invalid"),
    ({"seat": [{"id": 1}]}, "invalid"),
    ({"pools": [{"id": 1, "places": 0}]}, "invalid"),
    ({"pools": [{"id": 1, "places": 10**30}]}, "invalid"),
    ({"seats": [{"id": 1}], "customer": ""}, "invalid"),
    ({"seats": [{"id": 1}], "customer": 7}, "invalid"),
    ({"seats": [{"id": 1}], "customer": "x" * 201}, "invalid"),
    ({"seats": [{"id": 1}], "customer": "a\0"}, "invalid"),
    ([], "invalid"),
    (None, "invalid"),
    ('"seats"', "invalid"),
]


@pytest.mark.parametrize(("body", "name"), BAD)
def test_a_body_that_makes_no_sense_holds_nothing(blue, event, body, name):
    response = blue.post(
        f"/api/v1/events/{event.slug}/holds/",
        body if body is not None else "null",
        content_type="application/json",
        headers={"idempotency-key": "k"},
    )

    assert problem(response) == name
    assert not Hold.objects.exists()


def test_a_field_that_does_not_fit_is_named_with_its_place(blue, event):
    response = ask(blue, event, [{"id": 1}, {"id": "x", "far": 1}])

    assert [error["field"] for error in response.json()["errors"]] == ["seats.1.far"]
    response = ask(blue, event, [{"id": 1}, {"id": "x"}])
    assert [error["field"] for error in response.json()["errors"]] == ["seats.1.id"]


@pytest.mark.parametrize(
    ("body", "media_type", "name"),
    [
        (b"{", "application/json", "malformed"),
        (b"\xff\xfe", "application/json", "malformed"),
        (b'{"seats": NaN}', "application/json", "malformed"),
        (b"[" * 60_000, "application/json", "malformed"),
        (b'{"seats": [{"id": ' + b"1" * 5000 + b"}]}", "application/json", "malformed"),
        (b"PK" * 9, "application/json; charset=zlib", "malformed"),
        (b" " * 70_000 + b"{}", "application/json", "too-large"),
        (b" " * 2_000_000 + b"{}", "application/json", "too-large"),
        (b"seats=1", "application/x-www-form-urlencoded", "unsupported-media-type"),
        (b"<seats/>", "text/xml", "unsupported-media-type"),
    ],
)
def test_what_cannot_be_read(blue, event, body, media_type, name):
    address = f"/api/v1/events/{event.slug}/holds/"

    response = blue.generic("POST", address, body, media_type, headers={"idempotency-key": "k"})

    assert problem(response) == name


def test_without_a_token_or_its_scope_nothing_can_be_done(client, caller, event, seats, held):
    for door, scopes in [(client, None), (caller(scopes=[Scope.EVENTS_READ]), "holds:write")]:
        name = "forbidden" if scopes else "unauthenticated"
        answers = [
            ask(door, event, seats[:1]),
            door.get(held),
            change(door, held, seats[:1]),
            door.delete(held),
            door.post(f"{held}extend/"),
        ]
        assert [problem(answer) for answer in answers] == [name] * 5
    reader = caller(scopes=[Scope.HOLDS_READ])
    assert reader.get(held).status_code == 200
    assert problem(reader.delete(held)) == "forbidden"


def test_another_partners_hold_is_not_there(caller, seats, held):
    red = caller("Red Tickets")

    answers = [
        red.get(held),
        change(red, held, seats[:1]),
        red.delete(held),
        red.post(f"{held}extend/"),
    ]

    assert [problem(answer) for answer in answers] == ["not-found"] * 4
    assert Hold.objects.get().state == HoldState.ACTIVE


def test_a_hold_of_a_fan_or_of_a_partner_with_a_like_name_is_not_there(blue, sale, seats):
    own = f"partner:{Partner.objects.get().pk}"

    for owner in (f"visitor:{uuid4()}", "account:1", f"{own}0", f"{own}0:{'a' * 32}", f"x{own}"):
        placed = place(sale, [seats.pop()], owner=owner)
        assert problem(blue.get(f"/api/v1/holds/{placed.reference}/")) == "not-found"
    assert problem(blue.get(f"/api/v1/holds/{uuid4()}/")) == "not-found"


def test_a_new_token_of_the_partner_finds_its_holds(caller, held):
    assert caller().get(held).status_code == 200


def test_each_customer_has_a_limit_and_a_hold_of_his_own(blue, event, seats):
    ada = ask(blue, event, seats[:8], customer="ada@example.org")
    bob = ask(blue, event, seats[8:16], customer="bob")

    assert (ada.status_code, bob.status_code) == (201, 201)
    assert problem(ask(blue, event, seats[16:17], key="2", customer="bob")) == "already-holding"
    assert blue.get(ada["Location"]).status_code == 200
    owners = " ".join(Hold.objects.values_list("owner", flat=True))
    assert "ada" not in owners
    assert "bob" not in owners


def test_one_partners_customer_is_not_anothers(blue, caller, event, seats):
    ask(blue, event, seats[:1], customer="ada")

    assert ask(caller("Red"), event, seats[1:2], customer="ada").status_code == 201
    assert len(set(Hold.objects.values_list("owner", flat=True))) == 2


@pytest.mark.parametrize("send", ["ask", "change", "extend", "delete"])
def test_every_door_says_when_to_come_again(blue, event, held, monkeypatch, send):
    seats = EventSeat.objects.filter(event=event).values_list("pk", flat=True)

    def wait_in_vain(*_, **__):
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr("inventory.services.locks.holds", wait_in_vain)
    monkeypatch.setattr("inventory.services.locks.fan", wait_in_vain)

    response = {
        "ask": lambda: ask(blue, event, seats[:1], key="new"),
        "change": lambda: change(blue, held, seats[:1]),
        "extend": lambda: blue.post(f"{held}extend/"),
        "delete": lambda: blue.delete(held),
    }[send]()

    assert problem(response) == "busy"
    assert response["Retry-After"] == "3"


def test_a_hold_costs_the_same_however_many_seats_it_has(
    caller, event, seats, django_assert_max_num_queries
):
    client = caller()
    client.get("/api/v1/events/")

    for number, wanted in enumerate([seats[:1], seats[1:9]]):
        with django_assert_max_num_queries(12):
            ask(client, event, wanted, customer=str(number))
