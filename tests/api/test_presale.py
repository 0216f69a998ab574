"""A presale's codes, shown by a partner for its customers."""

import pytest
import redis

from inventory.models import Hold
from inventory.services import access
from inventory.services.access import PER_BROWSER
from tests import factories
from tests.api.asking import ask, change, problem
from ticketing.kernel import attempts

pytestmark = pytest.mark.django_db


@pytest.fixture
def code(event):
    return factories.presale_code(event, max_holds=1)


def test_a_presale_needs_a_code(blue, event, seats, code):
    assert problem(ask(blue, event, seats[:1])) == "access-code-needed"
    assert problem(ask(blue, event, seats[:1], access_code="nonsense")) == "access-code-refused"
    assert not Hold.objects.exists()


def test_a_code_holds_changes_and_answers_the_same_key(blue, event, seats, code):
    first = ask(blue, event, seats[:1], access_code=code)
    again = ask(blue, event, seats[:1], access_code=code)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first["Location"] == again["Location"]
    assert change(blue, first["Location"], seats[1:2]).status_code == 200


def test_a_wish_whose_twin_was_faster_is_answered_with_its_hold(
    blue, event, seats, code, monkeypatch
):
    """Both found no hold of their key; then one held, and the code was used up for the other."""
    redeem, twins = access.redeem, []

    def let_the_twin_go_first(**asked):
        monkeypatch.setattr(access, "redeem", redeem)
        twins.append(ask(blue, event, seats[:1], access_code=code))
        return redeem(**asked)

    monkeypatch.setattr(access, "redeem", let_the_twin_go_first)

    response = ask(blue, event, seats[:1], access_code=code)

    assert response.status_code == 201
    assert response["Location"] == twins[0]["Location"]


def test_a_code_that_is_used_up_holds_nothing_for_others(blue, event, seats, code):
    ask(blue, event, seats[:1], access_code=code, customer="ada")

    response = ask(blue, event, seats[1:2], access_code=code, customer="bob")

    assert problem(response) == "access-code-refused"


def test_guessing_has_an_end(blue, event, seats, code):
    for _ in range(PER_BROWSER):
        ask(blue, event, seats[:1], access_code="nonsense")

    response = ask(blue, event, seats[:1], access_code=code)

    assert problem(response) == "throttled"
    assert response.json()["retry_after"] > 60


def test_where_nobody_can_count_no_code_is_tried(blue, event, seats, code, monkeypatch):
    away = redis.Redis(port=1, socket_connect_timeout=1)
    monkeypatch.setattr(attempts, "valkey", lambda: away)

    response = ask(blue, event, seats[:1], access_code=code)

    assert problem(response) == "busy"
    assert response["Retry-After"] == "30"
