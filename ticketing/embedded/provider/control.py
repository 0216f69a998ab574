"""The handles for tests and for the curious: `POST /_control/…` with a JSON body."""

from collections.abc import Callable

from ticketing.embedded.provider import cards, disputes, faults, intents, refunds, sessions, wire
from ticketing.embedded.provider.store import Endpoint, Store
from ticketing.embedded.provider.wire import Json, ProviderError


def plan_fault(store: Store, wish: Json) -> Json:
    """{"mode": …, "match": …, "times": 1, "seconds": 30}; {"mode": "none"} forgets all faults."""
    if wish.get("mode") == "none":
        store.forget_faults()
    else:
        faults.plan(store, wish)
    return {"ok": True}


def set_webhook(store: Store, wish: Json) -> Json:
    """{"url": …, "secret": …} from now on; {} sends none."""
    url = wish.get("url")
    store.tell(Endpoint(str(url), str(wish["secret"])) if url else None)
    return {"ok": True}


def pay(store: Store, wish: Json) -> Json:
    """{"id": session, "card": number, "capture_at_once": false}: as if somebody used the page."""
    session = sessions.current(store, str(wish.get("id")))
    if session["status"] != "open":
        raise ProviderError(400, f"This session is {session['status']}.")
    number = str(wish.get("card") or cards.GOOD.number)
    at_once = bool(wish.get("capture_at_once"))
    intent = sessions.pay(store, session, number, capture_at_once=at_once)
    return {"ok": True, "payment_intent": wire.public(intent)}


def authenticate(store: Store, wish: Json) -> Json:
    """{"id": intent, "proved": true}: answer the 3-D Secure page."""
    intent = store.get("payment_intent", str(wish.get("id")))
    sessions.authenticate(store, intent, proved=bool(wish.get("proved", True)))
    return {"ok": True}


def expire_authorization(store: Store, wish: Json) -> Json:
    """{"id": intent}: the bank stops reserving the amount."""
    intents.expire_authorization(store, store.get("payment_intent", str(wish.get("id"))))
    return {"ok": True}


def settle_refund(store: Store, wish: Json) -> Json:
    """{"id": refund, "failure": ""}: the bank says that it arrived, or why it did not."""
    refund = store.get("refund", str(wish.get("id")))
    refunds.settle(store, refund, failure=str(wish.get("failure") or ""))
    return {"ok": True}


def disagree(store: Store, wish: Json) -> Json:
    """{"id": intent, "captured": 100, "refunded": 0}: other figures from now on; no event.

    {"id": intent, "forget": true}: it was never there, and neither was its session.
    """
    intent = store.get("payment_intent", str(wish.get("id")))
    if wish.get("forget"):
        for identity in filter(None, [intent["id"], intent["_session"]]):
            store.forget(identity)
        return {"ok": True}
    if "captured" in wish:
        store.put(intent | {"amount_received": int(wish["captured"])})
    if "refunded" in wish:
        charge = store.get("charge", intent["latest_charge"])
        store.put(charge | {"amount_refunded": int(wish["refunded"])})
    return {"ok": True}


def dispute(store: Store, wish: Json) -> Json:
    """{"id": intent, "amount": 0, "reason": "fraudulent"}: the payer disputes it, or all of it."""
    intent = store.get("payment_intent", str(wish.get("id")))
    reason = str(wish.get("reason") or "fraudulent")
    made = disputes.start(store, intent, amount=int(wish.get("amount") or 0), reason=reason)
    return {"ok": True, "dispute": made["id"]}


def close_dispute(store: Store, wish: Json) -> Json:
    """{"id": dispute, "won": false}: the bank decides."""
    found = store.get("dispute", str(wish.get("id")))
    disputes.close(store, found, won=bool(wish.get("won")))
    return {"ok": True}


HANDLES: dict[str, Callable[[Store, Json], Json]] = {
    "fault": plan_fault,
    "webhook": set_webhook,
    "pay": pay,
    "authenticate": authenticate,
    "expire_auth": expire_authorization,
    "settle_refund": settle_refund,
    "disagree": disagree,
    "dispute": dispute,
    "close_dispute": close_dispute,
}
