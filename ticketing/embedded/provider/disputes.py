"""A payer tells the bank that a charge was wrong: the money goes at once, and may come back."""

from ticketing.embedded.provider import balance, events, lists, wire
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError

# What is kept of each dispute, in the smallest unit, whoever wins it.
FEE = 1500


def start(store: Store, intent: Json, *, amount: int, reason: str) -> Json:
    """Dispute so much of a captured charge."""
    charge = store.get("charge", intent["latest_charge"])
    if charge["disputed"] or not charge["captured"]:
        raise ProviderError(400, "Only a captured charge can be disputed, and only once.")
    dispute = {
        "id": wire.new_id("dp_"),
        "object": "dispute",
        "amount": amount or charge["amount_captured"],
        "charge": charge["id"],
        "created": wire.now(),
        "currency": charge["currency"],
        "is_charge_refundable": False,
        "livemode": False,
        "metadata": {},
        "payment_intent": intent["id"],
        "reason": reason,
        "status": "needs_response",
    }
    taken = balance.book(store, "adjustment", dispute, -dispute["amount"], fee=FEE)
    store.put(dispute | {"balance_transactions": [taken]})
    store.put(charge | {"disputed": True})
    dispute = store.get("dispute", dispute["id"])
    events.emit(store, "charge.dispute.created", dispute)
    events.emit(store, "charge.dispute.funds_withdrawn", dispute)
    return dispute


def close(store: Store, dispute: Json, *, won: bool) -> None:
    """The bank decides; what was won comes back."""
    if dispute["status"] in {"won", "lost"}:
        raise ProviderError(400, f"This dispute is {dispute['status']}.")
    dispute["status"] = "won" if won else "lost"
    if won:
        dispute["balance_transactions"].append(
            balance.book(store, "adjustment", dispute, dispute["amount"])
        )
        events.emit(store, "charge.dispute.funds_reinstated", store.put(dispute))
    events.emit(store, "charge.dispute.closed", store.put(dispute))


def retrieve(store: Store, call: Call) -> Json:
    return store.get("dispute", call.id)


def index(store: Store, call: Call) -> Json:
    return lists.page(store, "dispute", call, by=("payment_intent", "charge"))
