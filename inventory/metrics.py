"""What inventory counts: the write path, from the gate to the end of a hold, and the sweep."""

from ticketing.kernel.metrics import SECONDS, Counter, Gauge, Histogram

ASKED = Counter("ticketing_holds_asked", "Holds asked for")
WON = Counter("ticketing_holds_won", "Holds placed, or answered again to the same key")
_REFUSED = Counter(
    "ticketing_holds_refused", "Holds refused, by who refused and why", ["by", "why"]
)
REFUSED_AT_THE_GATE = _REFUSED.labels("gate", "taken")
HOLD_SECONDS = Histogram(
    "ticketing_hold_seconds", "From asking to the commit of a hold", buckets=SECONDS
)
LOCK_SECONDS = Histogram(
    "ticketing_hold_lock_seconds", "Waiting for the locks of a hold", buckets=SECONDS
)
_ENDED = Counter("ticketing_holds_ended", "Holds that ended, by how", ["how"])
RELEASED = _ENDED.labels("released")
# Tidied by the sweep, or by the next fan who wanted a place of theirs.
EXPIRED = _ENDED.labels("expired")
TAKEN_OVER = _ENDED.labels("taken over")
CONFIRMED = _ENDED.labels("confirmed")
GATE_SILENT = Counter("ticketing_gate_silent", "Times that the gate's store gave no answer in time")
GATE_LIES = Counter("ticketing_gate_lies", "Times that a gate named free seats as taken")

SWEEP_SECONDS = Histogram(
    "ticketing_expiry_sweep_seconds", "One sweep of lapsed holds", buckets=SECONDS
)
EXPIRY_LAG = Gauge(
    "ticketing_expiry_lag_seconds",
    "For how long the oldest lapsed hold has waited for the sweep",
    multiprocess_mode="mostrecent",
)
EXPIRY_LATE = Gauge(
    "ticketing_expiry_is_late",
    "1 while the last sweep is older than two of its periods",
    multiprocess_mode="mostrecent",
)


def refused(refusal: Exception) -> None:
    """Count a refusal of PostgreSQL by the name of its class, which is one of a few."""
    _REFUSED.labels("postgres", type(refusal).__name__).inc()
