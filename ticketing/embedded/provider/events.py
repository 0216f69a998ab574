"""The event log: everything that happened to an object, and whom to tell."""

import copy
import time

from ticketing.embedded.provider import lists, wire
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json


def emit(store: Store, kind: str, thing: Json) -> None:
    """Record that something happened, with the object as it is now, and owe it to the endpoint."""
    endpoint = store.endpoint()
    event = store.put(
        {
            "id": wire.new_id("evt_"),
            "object": "event",
            "api_version": wire.API_VERSION,
            "created": wire.now(),
            "livemode": False,
            "pending_webhooks": 1 if endpoint else 0,
            "request": {"id": None, "idempotency_key": None},
            "type": kind,
            "data": {"object": copy.deepcopy(wire.public(thing))},
        }
    )
    if endpoint:
        store.owe(event["id"], due=time.time())


def retrieve(store: Store, call: Call) -> Json:
    return store.get("event", call.id)


def index(store: Store, call: Call) -> Json:
    kinds = call.params.get("types")
    if not kinds:
        return lists.page(store, "event", call, by=("type",))
    found = [event for event in store.newest("event") if event["type"] in kinds]
    limit = int(call.params.get("limit", 10))
    return lists.listing(found[:limit], call.path, has_more=len(found) > limit)
