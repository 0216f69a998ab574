"""A few figures that neighbours may read of one another, in Valkey.

Inventory and payments write, the waiting room reads. A figure that nobody refreshed is gone after
its time to live, so a reader never steers by a number of yesterday.
"""

from datetime import timedelta
from functools import cache

import redis
from django.conf import settings

TTL = timedelta(seconds=10)


@cache
def valkey() -> "redis.Redis":
    """The state store, with a bounded wait: a slow figure is worth less than none."""
    return redis.Redis.from_url(settings.VALKEY_URL, socket_timeout=1, socket_connect_timeout=1)


def write(name: str, value: float) -> None:
    """Put up one figure, such as `hold.p95_ms`; losing it costs nobody anything."""
    try:
        valkey().set(f"load:{name}", repr(float(value)), px=int(TTL.total_seconds() * 1000))
    except redis.RedisError:
        return


def read(name: str) -> float | None:
    """The figure, or None if it is missing or the store does not answer."""
    try:
        raw = valkey().get(f"load:{name}")
    except redis.RedisError:
        return None
    return float(raw) if raw is not None else None
