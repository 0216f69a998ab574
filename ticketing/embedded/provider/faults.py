"""What can be made to go wrong, on request.

Before and after speak of the effect: `timeout_before` never reached the provider, `timeout_after`
did its work and the answer was lost. `slow` reaches it and takes its time, so that a second request
under the same key finds the first still in flight.
"""

from ticketing.embedded.provider.store import Fault, Store
from ticketing.embedded.provider.wire import Json, ProviderError

REQUEST_MODES = frozenset({"timeout_before", "timeout_after", "slow", "500", "429"})
WEBHOOK_MODES = frozenset({"drop_webhook", "dup_webhook"})


def plan(store: Store, wish: Json) -> None:
    """Plan `times` faults for what `match` finds: "METHOD /path", or the type of an event."""
    mode = str(wish.get("mode"))
    if mode not in REQUEST_MODES | WEBHOOK_MODES:
        raise ProviderError(400, f"mode is one of {sorted(REQUEST_MODES | WEBHOOK_MODES)}")
    store.plan_fault(
        match=str(wish.get("match", "")),
        mode=mode,
        times=int(wish.get("times", 1)),
        seconds=float(wish.get("seconds", 30)),
    )


def for_request(store: Store, method: str, path: str) -> Fault | None:
    return store.take_fault(f"{method} {path}", REQUEST_MODES)


def for_webhook(store: Store, event_type: str) -> Fault | None:
    return store.take_fault(event_type, WEBHOOK_MODES)


TOO_MANY = ProviderError(
    429, "Too many requests. Try again soon.", kind="rate_limit_error", code="rate_limit"
)
BROKEN = ProviderError(500, "Something went wrong on our side.", kind="api_error")
# The errors that a fault answers with, by its mode.
REFUSALS = {"429": TOO_MANY, "500": BROKEN}
