"""The gate: turns most of a hot crowd away from a taken seat without asking PostgreSQL.

One hash in Valkey for each event: a field for each seat that somebody is taking or has, its value
the name of a hold (owner and idempotency key, so that a fan's own retry passes). A claim lives five
seconds, a committed hold as long as its lease, a sold seat until it is given back.

Correctness never rests on it. Nothing here raises but PlacesTaken; Valkey lost, slow or lying costs
the shortcut and nothing else. A sample of the refusals is checked against PostgreSQL; one that is
wrong switches the gate of that event off until `rebuild`. Needs Valkey 9 or Redis 8, which let
single fields of a hash expire.
"""

import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.db import connection, transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

from inventory import metrics
from inventory.errors import PlacesTaken

log = logging.getLogger(__name__)

# A store that takes longer is not asked for a moment: the shortcut must be one.
SLOW_SECONDS = 0.05
PAUSE_SECONDS = 1.0
# For how long a crash between claim and commit keeps a seat from others.
CLAIM_MS = 5000
# One refusal for each event, process and second is checked.
SAMPLE_SECONDS = 1.0
# After so long a gate is compared with PostgreSQL whether it seems right or not.
REBUILT_MS = 60_000
CHUNK = 500
SCRIPTS = Path(__file__).with_name("lua")

# What of these seats nobody has, whatever the gate says; a blocked one its own channel may take.
UNOWNED = """
SELECT seat.id FROM inventory_eventseat AS seat
LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
WHERE seat.id = ANY(%s) AND NOT (seat.state = 'booked' OR (seat.state = 'held'
    AND hold.state = 'active' AND hold.expires_at > clock_timestamp()))
"""
OWNED = """
SELECT seat.id, hold.owner, hold.idempotency_key,
    CASE WHEN seat.state = 'held' THEN hold.expires_at END
FROM inventory_eventseat AS seat JOIN inventory_hold AS hold ON hold.id = seat.hold_id
WHERE seat.event_id = %s AND (seat.state = 'booked' OR hold.expires_at > clock_timestamp())
"""


class Silent(Exception):
    """The store gave no answer in time."""


@contextmanager
def claimed(*, event_id: int, seat_ids: Collection[int], owner: str, key: str) -> Iterator[None]:
    """Claim these seats while a hold of them is placed, or raise PlacesTaken with those taken."""
    name = name_of(owner, key)
    unclaimed = _claim(event_id, seat_ids, name)
    try:
        yield
    except BaseException:
        _quietly(_clear, event_id, [(seat, name) for seat in unclaimed])
        raise


def keep_on_commit(
    *, event_id: int, owner: str, key: str, seat_ids: Iterable[int], until: datetime | None
) -> None:
    """Once the caller's transaction commits, keep this hold's seats; until None means sold."""
    if settings.GATE:
        rows = [(seat, owner, key, until) for seat in seat_ids]
        transaction.on_commit(partial(_quietly, _keep, event_id, rows))


def clear_on_commit(freed: Iterable[tuple[int, str, str, int]]) -> None:
    """Once the caller's transaction commits, clear these seats; each (event, owner, key, seat)."""
    if not settings.GATE:
        return
    claims = defaultdict(list)
    for event_id, owner, key, seat in freed:
        claims[event_id].append((seat, name_of(owner, key)))
    for event_id, named in claims.items():
        transaction.on_commit(partial(_quietly, _clear, event_id, named))


def needs_rebuild(event_id: int) -> bool:
    """Whether the gate was switched off, was lost, or was last compared a while ago."""
    try:
        built, off = _ask("hmget", _key(event_id), ["built", "off"])
    except Silent:
        return False
    return built is None or off is not None


def rebuild(event_id: int) -> int:
    """Make the gate of an event agree with PostgreSQL, and switch it on; returns what was wrong.

    First what is missing is filled in, then what should not be there is cleared: a seat given back
    in between is cleared by either that release or the second look. Raises Silent, and leaves a
    gate off that was off.
    """
    with connection.cursor() as cursor:
        cursor.execute(OWNED, [event_id])
        owned = cursor.fetchall()
    for start in range(0, len(owned), CHUNK):
        _keep(event_id, owned[start : start + CHUNK])
    wrong = sum(_mend(event_id, found) for found in _chunks(event_id))
    _ask("hdel", _key(event_id), "off")
    _ask("hsetex", _key(event_id), mapping={"built": 1}, px=REBUILT_MS)
    return wrong


def name_of(owner: str, key: str) -> str:
    """How the gate calls a hold, which has no id yet: short, and no name can be read from it."""
    return hashlib.blake2b(f"{owner}\0{key}".encode(), digest_size=8).hexdigest()


def _claim(event_id: int, seat_ids: Collection[int], name: str) -> list[int]:
    """The seats that were unclaimed until now; all of them are `name`'s now."""
    if not settings.GATE or not seat_ids:
        return []
    try:
        said, *rest = _run("claim", event_id, [name, CLAIM_MS, *seat_ids])
        if said != b"taken":
            return [int(seat) for seat in rest]
        taken = {int(seat): int(ms) for seat, ms in zip(rest[::2], rest[1::2], strict=True)}
        if _is_sampled(event_id) and _lies(taken):
            log.error("the gate of event %s names free seats as taken: switched off", event_id)
            metrics.GATE_LIES.inc()
            _ask("hset", _key(event_id), "off", 1)
            return []
    except Silent:
        return []
    metrics.REFUSED_AT_THE_GATE.inc()
    raise PlacesTaken(seat_ids=taken)


_sampled: dict[int, float] = {}


def _is_sampled(event_id: int) -> bool:
    now = time.monotonic()
    if now - _sampled.get(event_id, -SAMPLE_SECONDS) < SAMPLE_SECONDS:
        return False
    _sampled[event_id] = now
    return True


def _lies(taken: dict[int, int]) -> bool:
    """Whether a seat is said to be somebody's, not only on its way to him, and is not."""
    settled = [seat for seat, ms in taken.items() if not 0 <= ms <= CLAIM_MS]
    return bool(settled) and bool(_unowned(settled))


def _mend(event_id: int, found: Sequence[tuple[int, str]]) -> int:
    unowned = _unowned([seat for seat, _ in found])
    return _clear(event_id, [(seat, name) for seat, name in found if seat in unowned])


def _chunks(event_id: int) -> Iterator[list[tuple[int, str]]]:
    position = -1
    while position != 0:
        position, fields = _ask("hscan", _key(event_id), max(position, 0), count=CHUNK)
        yield [(int(f), name.decode()) for f, name in fields.items() if f.isdigit()]


def _unowned(seat_ids: Collection[int]) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(UNOWNED, [list(seat_ids)])
        return {seat for (seat,) in cursor.fetchall()}


def _keep(event_id: int, rows: Iterable[tuple[int, str, str, datetime | None]]) -> None:
    values: list[Any] = []
    for seat, owner, key, until in rows:
        ends = "sold" if until is None else int(until.timestamp() * 1000)
        values += [seat, name_of(owner, key), ends]
    _run("keep", event_id, values)


def _clear(event_id: int, named: Sequence[tuple[int, str]]) -> int:
    if not named:
        return 0
    return int(_run("clear", event_id, [value for pair in named for value in pair]))


def _quietly(act: Callable[..., object], *values: object) -> None:
    with suppress(Silent):
        act(*values)


@cache
def _store() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.VALKEY_URL,
        socket_timeout=SLOW_SECONDS,
        socket_connect_timeout=SLOW_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


@cache
def _script(name: str) -> Any:
    return _store().register_script((SCRIPTS / f"{name}.lua").read_text())


def _run(script: str, event_id: int, values: list[Any]) -> Any:
    return _guarded(lambda: _script(script)(keys=[_key(event_id)], args=values))


def _ask(command: str, *values: Any, **options: Any) -> Any:
    return _guarded(lambda: getattr(_store(), command)(*values, **options))


_asked_again_at = 0.0


def _guarded(ask: Callable[[], Any]) -> Any:
    """The store's answer, or raise Silent; then it is left alone for a moment."""
    global _asked_again_at  # noqa: PLW0603
    if time.monotonic() < _asked_again_at:
        raise Silent
    try:
        return ask()
    except redis.RedisError as error:
        _asked_again_at = time.monotonic() + PAUSE_SECONDS
        metrics.GATE_SILENT.inc()
        log.warning("the gate's store does not answer: %s", type(error).__name__)
        raise Silent from error


def _key(event_id: int) -> str:
    return f"gate:{event_id}"
