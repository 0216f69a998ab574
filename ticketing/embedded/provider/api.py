"""Which function answers which API address."""

import re
from collections.abc import Callable

from ticketing.embedded.provider import (
    balance,
    cards,
    disputes,
    events,
    intents,
    lists,
    refunds,
    sessions,
    wire,
)
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError

Handler = Callable[[Store, Call], Json]
ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("POST", "payment_intents", intents.create),
    ("GET", "payment_intents", intents.index),
    ("GET", "payment_intents/search", intents.search),
    ("GET", "payment_intents/*", intents.retrieve),
    ("POST", "payment_intents/*", intents.update),
    ("POST", "payment_intents/*/confirm", intents.confirm),
    ("POST", "payment_intents/*/capture", intents.capture),
    ("POST", "payment_intents/*/cancel", intents.cancel),
    ("POST", "checkout/sessions", sessions.create),
    ("GET", "checkout/sessions", sessions.index),
    ("GET", "checkout/sessions/*", sessions.retrieve),
    ("POST", "checkout/sessions/*/expire", sessions.expire),
    ("POST", "refunds", refunds.create),
    ("GET", "refunds", refunds.index),
    ("GET", "refunds/*", refunds.retrieve),
    ("GET", "charges", intents.index_charges),
    ("GET", "charges/*", intents.retrieve_charge),
    ("GET", "charges/*/refunds", lists.refunds_of),
    ("GET", "balance_transactions", balance.index),
    ("GET", "balance_transactions/*", balance.retrieve),
    ("GET", "disputes", disputes.index),
    ("GET", "disputes/*", disputes.retrieve),
    ("GET", "events", events.index),
    ("GET", "events/*", events.retrieve),
    ("POST", "customers", cards.create_customer),
    ("GET", "customers", cards.index_customers),
    ("GET", "customers/*", cards.retrieve_customer),
    ("POST", "payment_methods", cards.create_method),
    ("GET", "payment_methods/*", cards.retrieve_method),
)
_PATTERNS = [
    (method, re.compile("/v1/" + shape.replace("*", "([^/]+)")), handler)
    for method, shape, handler in ROUTES
]


def answer(store: Store, method: str, path: str, raw: str) -> Json:
    """Do what the request asks, and return the object it is answered with."""
    for known_method, pattern, handler in _PATTERNS:
        match = pattern.fullmatch(path)
        if match and known_method == method:
            params = wire.decode(raw)
            wanted = params.pop("expand", [])
            thing = handler(store, Call(path, params, match.groups()))
            for expansion in wanted:
                thing = lists.expand(store, thing, expansion.split("."))
            return thing
    raise ProviderError(404, f"Unrecognized request URL ({method}: {path}).")
