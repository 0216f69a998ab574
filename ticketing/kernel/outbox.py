"""Facts leave here: written with the change that made them true, told at least once.

    outbox.publish(topic="bookings.booking_confirmed", key=booking.reference, payload={…})

    @outbox.handler("bookings.booking_confirmed")
    def issue_tickets(fact: Fact) -> None: ...

A *quick* handler runs in the relay, in one transaction with the row that says it is done. A
*slow* one (mail, provider) runs in a Celery worker, outside any transaction, and is marked done
afterwards: it may run twice and must not mind. A relay claims by lease, so a lost message or worker
only means that the fact is told again.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from ticketing.kernel import transactions
from ticketing.kernel.models import Delivery, OutboxMessage

logger = logging.getLogger(__name__)

# Longer than any handler may take; a fact whose relay or worker died is told again after it.
LEASE = timedelta(seconds=60)
# 2, 4, 8 … seconds, at most ten minutes, so that the last of them is about an hour after the first.
MAX_ATTEMPTS = 14
MAX_PAUSE = timedelta(minutes=10)
# Facts that one message to a worker asks for: a message costs more than most handlers.
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Fact:
    """What a handler is told."""

    topic: str
    key: str
    payload: dict[str, Any]
    at: datetime


Handler = Callable[[Fact], None]
# Sends one slow handler of some facts away.
Dispatch = Callable[[Sequence[int], str], None]


@dataclass(frozen=True, slots=True)
class Subscription:
    name: str
    run: Handler
    slow: bool


_subscriptions: dict[str, list[Subscription]] = defaultdict(list)


def handler(topic: str, *, slow: bool = False) -> Callable[[Handler], Handler]:
    """Subscribe a function to a topic; its module and name identify it for ever."""

    def subscribe(function: Handler) -> Handler:
        name = f"{function.__module__}.{function.__name__}"
        _subscriptions[topic].append(Subscription(name, function, slow))
        return function

    return subscribe


def publish(*, topic: str, key: str, payload: dict[str, Any]) -> None:
    """Tell a fact when the caller's transaction commits; telling it again changes nothing."""
    transactions.require()
    OutboxMessage.objects.bulk_create(
        [OutboxMessage(topic=topic, key=key, payload=payload)], ignore_conflicts=True
    )


def relay(*, limit: int, dispatch: Dispatch) -> int:
    """Tell up to `limit` open facts; `dispatch(message_ids, handler)` sends slow work away.

    Any number of relays may run at once. Returns how many facts were claimed.
    """
    claimed = _claim(limit)
    slow: dict[str, list[int]] = defaultdict(list)
    for message in claimed:
        for name in _tell(message):
            slow[name].append(message.pk)
    _send_away(slow, dispatch)
    return len(claimed)


def run_here(message_ids: Sequence[int], handler_name: str) -> None:
    """A `dispatch` that sends nothing away."""
    for message_id in message_ids:
        run_slow(message_id=message_id, handler_name=handler_name)


def run_slow(*, message_id: int, handler_name: str) -> None:
    """Run one slow handler to its end and mark it done; a failure is recorded and tried later."""
    message = OutboxMessage.objects.get(pk=message_id)
    subscription = next(
        (s for s in _subscriptions[message.topic] if s.name == handler_name and s.slow), None
    )
    if subscription is None or _is_done(message, subscription) or message.dead_at:
        return
    try:
        subscription.run(_fact(message))
    except Exception as error:
        logger.exception("%s failed on fact %s", subscription.name, message.pk)
        _postpone(message, error)
        return
    with transaction.atomic(durable=True):
        Delivery.objects.get_or_create(message=message, handler=subscription.name)
    _close_if_done(message)


def retry(*, message_ids: list[int]) -> int:
    """Give dead facts another life; returns how many were dead."""
    return OutboxMessage.objects.filter(pk__in=message_ids, dead_at__isnull=False).update(
        dead_at=None, attempts=0, available_at=timezone.now()
    )


def lag() -> timedelta:
    """How long the oldest open fact has been waiting; zero when none is."""
    oldest = (
        OutboxMessage.objects.filter(done_at=None, dead_at=None)
        .order_by("created_at")
        .values_list("created_at", flat=True)
        .first()
    )
    return max(timezone.now() - oldest, timedelta()) if oldest else timedelta()


def _claim(limit: int) -> list[OutboxMessage]:
    now = timezone.now()
    with transaction.atomic(durable=True):
        claimed = list(
            OutboxMessage.objects.filter(done_at=None, dead_at=None, available_at__lte=now)
            .order_by("available_at", "pk")
            .select_for_update(skip_locked=True)[:limit]
        )
        OutboxMessage.objects.filter(pk__in=[m.pk for m in claimed]).update(
            available_at=now + LEASE
        )
    return claimed


def _tell(message: OutboxMessage) -> list[str]:
    """Run the quick handlers; the names of the slow ones that have still to run."""
    done = set(message.deliveries.values_list("handler", flat=True))
    left = [s for s in _subscriptions[message.topic] if s.name not in done]
    try:
        # Quick ones first: what they write, the slow ones may want to read.
        for subscription in left:
            if not subscription.slow:
                _run_quick(message, subscription)
    except Exception as error:
        logger.exception("fact %s (%s) failed", message.pk, message.topic)
        connection.close_if_unusable_or_obsolete()
        _postpone(message, error)
        return []
    _close_if_done(message)
    return [subscription.name for subscription in left if subscription.slow]


def _send_away(slow: Mapping[str, Sequence[int]], dispatch: Dispatch) -> None:
    """Ask workers until the broker fails once, and then no more.

    A worker has until the lease ends; then the fact is told again. A broker that is away says
    nothing against a fact.
    """
    for name, message_ids in slow.items():
        for start in range(0, len(message_ids), AT_ONCE):
            try:
                dispatch(message_ids[start : start + AT_ONCE], name)
            except Exception:
                logger.exception("no worker can be asked for %s, nor for what comes after", name)
                return


def _run_quick(message: OutboxMessage, subscription: Subscription) -> None:
    with transaction.atomic(durable=True):
        _, created = Delivery.objects.get_or_create(message=message, handler=subscription.name)
        if created:
            subscription.run(_fact(message))


def _is_done(message: OutboxMessage, subscription: Subscription) -> bool:
    return message.deliveries.filter(handler=subscription.name).exists()


def _close_if_done(message: OutboxMessage) -> None:
    wanted = {s.name for s in _subscriptions[message.topic]}
    if wanted <= set(message.deliveries.values_list("handler", flat=True)):
        OutboxMessage.objects.filter(pk=message.pk, done_at=None).update(done_at=timezone.now())


def _postpone(message: OutboxMessage, error: Exception) -> None:
    attempts = message.attempts + 1
    now = timezone.now()
    OutboxMessage.objects.filter(pk=message.pk).update(
        attempts=attempts,
        last_error=f"{type(error).__name__}: {error}"[:500],
        available_at=now + min(timedelta(seconds=2**attempts), MAX_PAUSE),
        dead_at=now if attempts >= MAX_ATTEMPTS else None,
    )


def _fact(message: OutboxMessage) -> Fact:
    return Fact(message.topic, message.key, message.payload, message.created_at)
