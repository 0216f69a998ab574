"""How often somebody has tried something lately, so that guessing has an end.

Counted in the state store, each count from its first attempt until its time is over. Where nobody
can count, nobody may try: guessing must not become free by stopping the store.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta

import redis

from ticketing.kernel.loadboard import valkey


class TooManyAttempts(Exception):
    """Somebody has tried too often; he may again after this many seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"too many attempts, again in {retry_after} s")
        self.retry_after = retry_after


class CannotCount(Exception):
    """The store does not answer, so nothing may be tried."""


def spend(what: str, *, most: Mapping[str, int], within: timedelta) -> None:
    """Count one attempt for everybody in `most`, which says how many each may make in that time.

    Raises TooManyAttempts if one of them has made them all already, or CannotCount.
    """
    pipeline = valkey().pipeline()
    for key in _keys(what, most):
        pipeline.incr(key)
        pipeline.expire(key, within, nx=True)
        pipeline.ttl(key)
    try:
        answers = pipeline.execute()
    except redis.RedisError as error:
        raise CannotCount from error
    waits = [
        left
        for made, left, allowed in zip(answers[::3], answers[2::3], most.values(), strict=True)
        if made > allowed
    ]
    if waits:
        raise TooManyAttempts(max(1, *waits))


def give_back(what: str, *, most: Mapping[str, int], within: timedelta) -> None:
    """Take back the attempt that was just counted: it was none at guessing."""
    pipeline = valkey().pipeline()
    for key in _keys(what, most):
        pipeline.decr(key)
        # The count may be gone meanwhile, and what is counted from nothing has to end as well.
        pipeline.expire(key, within, nx=True)
    try:
        pipeline.execute()
    except redis.RedisError:
        return


def _keys(what: str, whose: Mapping[str, int]) -> list[str]:
    """Hashed: who tried is kept no longer, and no clearer, than it is needed."""
    return [f"attempts:{what}:{hashlib.sha256(name.encode()).hexdigest()[:32]}" for name in whose]
