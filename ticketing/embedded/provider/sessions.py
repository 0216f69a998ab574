"""Checkout sessions: a page of ours where the payer pays, and what becomes of it."""

from urllib.parse import urlsplit

from ticketing.embedded.provider import cards, configuration, events, intents, lists, wire
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError

SHORTEST_LIFE = 30 * 60
LONGEST_LIFE = 24 * 60 * 60
# The clocks of two processes and the way between them.
SLACK = 5


def create(store: Store, call: Call) -> Json:
    params = call.params
    if params.get("mode") != "payment":
        raise ProviderError(400, "This provider knows mode=payment only.", param="mode")
    total, currency, names = _sum(params)
    identity = wire.new_id("cs_test_")
    return store.put(
        {
            "id": identity,
            "object": "checkout.session",
            "amount_subtotal": total,
            "amount_total": total,
            "cancel_url": params.get("cancel_url"),
            "client_reference_id": params.get("client_reference_id"),
            "created": wire.now(),
            "currency": currency,
            "customer": params.get("customer"),
            "customer_email": params.get("customer_email"),
            "expires_at": _expiry(params),
            "livemode": False,
            "metadata": wire.mapping(params, "metadata"),
            "mode": "payment",
            "payment_intent": None,
            "payment_method_types": ["card"],
            "payment_status": "unpaid",
            "status": "open",
            "success_url": _address(params, "success_url"),
            "url": f"{configuration.read().base_url}/_checkout/{identity}",
            "_names": names,
            "_intent": wire.mapping(params, "payment_intent_data"),
        }
    )


def retrieve(store: Store, call: Call) -> Json:
    return current(store, call.id)


def index(store: Store, call: Call) -> Json:
    return lists.page(
        store,
        "checkout.session",
        call,
        by=("payment_intent", "customer", "status"),
    )


def expire(store: Store, call: Call) -> Json:
    session = current(store, call.id)
    if session["status"] != "open":
        raise ProviderError(
            400,
            f'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout '
            f"Session has a status of {session['status']}.",
        )
    return _expire(store, session)


def current(store: Store, identity: str) -> Json:
    """The session as it is at this moment: one whose time is over is expired first."""
    session = store.get("checkout.session", identity)
    if session["status"] == "open" and session["expires_at"] <= wire.now():
        return _expire(store, session)
    return session


def expire_due(store: Store) -> None:
    old_enough = {"<": wire.now() - SHORTEST_LIFE + SLACK}
    for session in store.newest("checkout.session", where={"status": "open"}, created=old_enough):
        current(store, session["id"])


def pay(store: Store, session: Json, number: str, *, capture_at_once: bool = False) -> Json:
    """Try a card on an open session; returns its intent, whatever became of it.

    A decline raises ProviderError and leaves the session open, so that another card can be tried.
    """
    method = cards.keep(store, number)
    intent = _intent(store, session)
    if capture_at_once:
        intent["capture_method"] = "automatic"
    intent["payment_method"] = method["id"]
    intents.confirm_intent(store, intent)
    complete(store, session, intent)
    return intent


def authenticate(store: Store, intent: Json, *, proved: bool) -> None:
    """Go on after 3-D Secure; a decline raises ProviderError."""
    if intent["status"] != "requires_action":
        return
    if not proved:
        intents.fail_authentication(store, intent)
        return
    intents.confirm_intent(store, intent, authenticated=True)
    if intent["_session"]:
        complete(store, current(store, intent["_session"]), intent)


def complete(store: Store, session: Json, intent: Json) -> None:
    """Close the session when its intent has the money, reserved or taken."""
    if intent["status"] not in {"requires_capture", "succeeded"}:
        return
    session |= {
        "status": "complete",
        "payment_status": "paid" if intent["status"] == "succeeded" else "unpaid",
        "url": None,
    }
    events.emit(store, "checkout.session.completed", store.put(session))


def success_address(session: Json) -> str:
    return str(session["success_url"]).replace("{CHECKOUT_SESSION_ID}", session["id"])


def _intent(store: Store, session: Json) -> Json:
    if session["payment_intent"]:
        return store.get("payment_intent", session["payment_intent"])
    intent = intents.start(
        store,
        {
            **session["_intent"],
            "amount": str(session["amount_total"]),
            "currency": session["currency"],
            "receipt_email": session["customer_email"],
            "_session": session["id"],
        },
    )
    session["payment_intent"] = intent["id"]
    store.put(session)
    return intent


def _expire(store: Store, session: Json) -> Json:
    session |= {"status": "expired", "url": None}
    events.emit(store, "checkout.session.expired", store.put(session))
    if session["payment_intent"]:
        intent = store.get("payment_intent", session["payment_intent"])
        if intent["status"] in intents.CANCELABLE:
            intents.cancel_intent(store, intent, "automatic")
    return session


def _sum(params: Json) -> tuple[int, str, list[str]]:
    lines = params.get("line_items")
    if not isinstance(lines, list) or not lines:
        raise ProviderError(
            400,
            "Missing required param: line_items.",
            code="parameter_missing",
            param="line_items",
        )
    total, names, currencies = 0, [], set()
    for line in lines:
        price = wire.mapping(line, "price_data")
        amount = wire.integer(price, "unit_amount", least=0)
        quantity = int(line.get("quantity", 1))
        total += amount * quantity
        currencies.add(wire.text(price, "currency").lower())
        name = wire.text(wire.mapping(price, "product_data"), "name")
        names.append(name if quantity == 1 else f"{quantity} × {name}")  # noqa: RUF001
    if len(currencies) != 1:
        raise ProviderError(400, "All prices must be in one currency.", param="line_items")
    if total <= 0:
        raise ProviderError(
            400, "The total amount due must be greater than zero.", code="amount_too_small"
        )
    return total, currencies.pop(), names


def _expiry(params: Json) -> int:
    now = wire.now()
    if not params.get("expires_at"):
        return now + LONGEST_LIFE
    moment = wire.integer(params, "expires_at")
    if moment < now + SHORTEST_LIFE - SLACK:
        raise ProviderError(
            400,
            "The `expires_at` timestamp must be at least 30 minutes from now.",
            param="expires_at",
        )
    if moment > now + LONGEST_LIFE + SLACK:
        raise ProviderError(
            400,
            "The `expires_at` timestamp must be less than 24 hours from now.",
            param="expires_at",
        )
    return moment


def _address(params: Json, name: str) -> str:
    address = wire.text(params, name)
    if urlsplit(address).scheme not in {"http", "https"}:
        raise ProviderError(400, "Not a valid URL", code="url_invalid", param=name)
    return address
