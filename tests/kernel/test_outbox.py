from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from tests.races.rivals import race
from ticketing.kernel import outbox
from ticketing.kernel.models import Delivery, OutboxMessage
from ticketing.kernel.transactions import TransactionError

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def subscribe(monkeypatch):
    """Give the outbox no subscriptions but those of the test."""
    subscriptions: dict[str, list[outbox.Subscription]] = {}
    monkeypatch.setattr(outbox, "_subscriptions", subscriptions)

    def to(topic, function, *, slow=False, name="a handler"):
        subscriptions.setdefault(topic, []).append(outbox.Subscription(name, function, slow))

    return to


def publish(key="1"):
    with transaction.atomic():
        outbox.publish(topic="tests.fact_told", key=key, payload={"key": key})


def relay():
    return outbox.relay(limit=100, dispatch=outbox.run_here)


def due():
    OutboxMessage.objects.update(available_at=timezone.now())


def test_a_fact_is_told_to_each_handler_once(subscribe):
    told = []
    subscribe("tests.fact_told", lambda fact: told.append(("quick", fact.key)), name="quick")
    subscribe("tests.fact_told", lambda fact: told.append(("slow", fact.key)), slow=True, name="s")
    publish()

    assert relay() == 1
    due()
    assert relay() == 0

    assert told == [("quick", "1"), ("slow", "1")]


def test_a_fact_published_twice_is_one_fact(subscribe):
    told = []
    subscribe("tests.fact_told", lambda fact: told.append(fact.key))
    publish()
    publish()

    relay()

    assert told == ["1"]


def test_a_fact_of_a_transaction_that_failed_was_never_told(subscribe):
    def publish_then_fail():
        with transaction.atomic():
            outbox.publish(topic="tests.fact_told", key="1", payload={})
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        publish_then_fail()

    assert not OutboxMessage.objects.exists()


def test_a_fact_outside_a_transaction_is_refused():
    with pytest.raises(TransactionError):
        outbox.publish(topic="tests.fact_told", key="1", payload={})


def test_a_failed_handler_leaves_nothing_behind_and_is_tried_again(subscribe):
    fails = [True]

    def write_then_fail(fact):
        OutboxMessage.objects.create(topic="tests.effect", key="x", payload={})
        if fails:
            raise ValueError("not today")

    subscribe("tests.fact_told", write_then_fail)
    publish()
    relay()
    message = OutboxMessage.objects.get(topic="tests.fact_told")
    assert (message.attempts, message.last_error) == (1, "ValueError: not today")
    assert message.available_at > timezone.now()
    assert not Delivery.objects.exists()
    assert not OutboxMessage.objects.filter(topic="tests.effect").exists()

    fails.clear()
    due()
    relay()

    assert OutboxMessage.objects.get(topic="tests.fact_told").done_at
    assert OutboxMessage.objects.filter(topic="tests.effect").count() == 1


def test_a_fact_that_fails_too_often_is_dead_until_staff_try_again(subscribe):
    subscribe("tests.fact_told", lambda fact: 1 / 0)
    publish()
    for _ in range(outbox.MAX_ATTEMPTS):
        relay()
        due()
    message = OutboxMessage.objects.get()
    assert message.dead_at
    assert relay() == 0

    assert outbox.retry(message_ids=[message.pk]) == 1

    assert relay() == 1


def test_a_slow_handler_whose_worker_died_is_sent_again(subscribe):
    told = []
    subscribe("tests.fact_told", lambda fact: told.append(fact.key), slow=True)
    publish()
    outbox.relay(limit=10, dispatch=lambda message_ids, handler: None)
    assert relay() == 0, "the claim is still a live lease"

    due()
    relay()

    assert told == ["1"]
    assert OutboxMessage.objects.get().done_at


def test_a_broker_that_is_away_for_long_kills_no_fact(subscribe):
    told = []
    subscribe("tests.fact_told", lambda fact: told.append(fact.key), slow=True)
    publish()

    def refuse(message_ids, handler):
        raise ConnectionError("no broker here")

    for _ in range(outbox.MAX_ATTEMPTS + 1):
        outbox.relay(limit=10, dispatch=refuse)
        due()
    relay()

    assert told == ["1"]
    assert OutboxMessage.objects.get().done_at


def test_what_needs_no_broker_does_not_wait_for_one_that_is_away(subscribe):
    told, asked = [], []
    subscribe("tests.fact_told", lambda fact: told.append(fact.key), name="quick")
    subscribe("tests.fact_told", lambda fact: None, slow=True, name="slow")
    for key in "123":
        publish(key)

    def refuse(message_ids, handler):
        asked.append(message_ids)
        raise ConnectionError("no broker here")

    outbox.relay(limit=10, dispatch=refuse)

    assert sorted(told) == ["1", "2", "3"]
    assert len(asked) == 1


def test_slow_work_of_many_facts_is_sent_away_some_at_a_time(subscribe):
    asked = []
    subscribe("tests.fact_told", lambda fact: None, slow=True, name="mail")
    subscribe("tests.fact_told", lambda fact: None, slow=True, name="capture")
    for number in range(outbox.AT_ONCE + 1):
        publish(str(number))
    ids = list(OutboxMessage.objects.order_by("pk").values_list("pk", flat=True))

    outbox.relay(
        limit=100, dispatch=lambda message_ids, handler: asked.append((handler, message_ids))
    )

    names = {name.rpartition(".")[2] for name, _ in asked}
    assert names == {"mail", "capture"}
    for name in names:
        sent = [ids for handler, ids in asked if handler.endswith(name)]
        assert sent == [ids[: outbox.AT_ONCE], ids[outbox.AT_ONCE :]]


def test_a_fact_nobody_listens_to_is_done(subscribe):
    publish()
    outbox._subscriptions.setdefault("tests.fact_told", [])

    relay()

    assert OutboxMessage.objects.get().done_at


def test_relays_at_once_tell_every_fact_once(subscribe):
    told = []
    subscribe("tests.fact_told", lambda fact: told.append(fact.key))
    for number in range(40):
        publish(str(number))

    race([lambda: outbox.relay(limit=10, dispatch=outbox.run_here)] * 8)
    relay()

    assert sorted(told, key=int) == [str(number) for number in range(40)]


def test_the_lag_is_the_age_of_the_oldest_open_fact(subscribe):
    publish()
    OutboxMessage.objects.update(created_at=timezone.now() - timedelta(minutes=3))
    assert timedelta(minutes=3) <= outbox.lag() < timedelta(minutes=4)

    subscribe("tests.fact_told", lambda fact: None)
    relay()

    assert outbox.lag() == timedelta()
