"""The sweep of lapsed holds as something to watch: when it last ran, and how far behind it is.

No sale waits for it, since a lapsed hold is free by definition; but the map shows its places as
taken until then, and a sweep that stands still is the first sign of a worker that does.
"""

import time

from django.db import connection

from inventory import metrics
from ticketing.kernel import loadboard

SWEPT_AT, LAG = "expiry.swept_at", "expiry.lag_s"


def note() -> None:
    """A sweep has come to its end."""
    loadboard.write(LAG, lag())
    loadboard.write(SWEPT_AT, time.time())


def measure(*, period: float) -> None:
    """Set the figures that a scrape reads, wherever the worker runs."""
    metrics.EXPIRY_LATE.set(is_late(period=period))
    if (behind := loadboard.read(LAG)) is not None:
        metrics.EXPIRY_LAG.set(behind)


def lag() -> float:
    """For how many seconds the oldest lapsed hold has waited; 0 when none does."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM clock_timestamp() - min(expires_at)) FROM inventory_hold"
            " WHERE state = 'active' AND expires_at <= clock_timestamp()"
        )
        return float(cursor.fetchone()[0] or 0)


def is_late(*, period: float) -> bool:
    """Whether the last sweep is older than two periods, or was so long ago that nobody knows."""
    swept_at = loadboard.read(SWEPT_AT)
    return swept_at is None or time.time() - swept_at > 2 * period
