from datetime import timedelta
from uuid import uuid4

import pytest
import redis

from ticketing.kernel import attempts, loadboard
from ticketing.kernel.attempts import CannotCount, TooManyAttempts

MINUTE = timedelta(minutes=1)


@pytest.fixture
def what():
    return f"test {uuid4()}"


def spend(what, **most):
    attempts.spend(what, most=most, within=MINUTE)


def test_as_many_attempts_as_one_may_make_are_counted_and_the_next_is_refused(what):
    for _ in range(3):
        spend(what, ada=3)

    with pytest.raises(TooManyAttempts) as refusal:
        spend(what, ada=3)

    assert 1 <= refusal.value.retry_after <= 60


def test_everybody_is_counted_on_his_own(what):
    spend(what, ada=1, house=9)

    with pytest.raises(TooManyAttempts):
        spend(what, ada=1, house=9)
    spend(what, bob=1, house=9)
    spend(f"{what} elsewhere", ada=1)


def test_who_goes_on_trying_does_not_wait_longer(what):
    spend(what, ada=1)
    key = next(loadboard.valkey().scan_iter(f"attempts:{what}:*"))
    loadboard.valkey().expire(key, 5)

    with pytest.raises(TooManyAttempts) as refusal:
        spend(what, ada=1)

    assert refusal.value.retry_after <= 5


def test_what_was_no_guess_is_given_back(what):
    for _ in range(5):
        spend(what, ada=1)
        attempts.give_back(what, most={"ada": 1}, within=MINUTE)


def test_every_count_has_an_end_even_one_that_was_given_back_too_late(what):
    attempts.give_back(what, most={"ada": 1}, within=MINUTE)

    [key] = loadboard.valkey().scan_iter(f"attempts:{what}:*")
    assert 0 < loadboard.valkey().ttl(key) <= 60


def test_nobody_may_try_when_nobody_can_count(what, monkeypatch):
    nowhere = redis.Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    monkeypatch.setattr(attempts, "valkey", lambda: nowhere)

    with pytest.raises(CannotCount):
        spend(what, ada=3)
    attempts.give_back(what, most={"ada": 3}, within=MINUTE)


def test_no_name_stands_in_the_store(what):
    spend(what, **{"ada@example.org": 3})

    assert not list(loadboard.valkey().scan_iter("*ada@*"))
