"""Giving captured money back, at once or later, and what the bank says to it."""

from ticketing.embedded.provider import balance, cards, events, lists, wire
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError


def create(store: Store, call: Call) -> Json:
    charge = _charge(store, call.params)
    left = charge["amount_captured"] - charge["amount_refunded"]
    if left <= 0:
        raise ProviderError(
            400,
            f"Charge {charge['id']} has already been refunded.",
            code="charge_already_refunded",
        )
    amount = wire.integer(call.params, "amount") if "amount" in call.params else left
    if amount > left:
        raise ProviderError(
            400,
            f"Refund amount ({amount}) is greater than unrefunded amount on charge ({left})",
            code="amount_too_large",
            param="amount",
        )
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount_captured"]
    slow = cards.card_for(store, charge["payment_method"]).refunds_later
    refund = {
        "id": wire.new_id("re_"),
        "object": "refund",
        "amount": amount,
        "charge": charge["id"],
        "created": wire.now(),
        "currency": charge["currency"],
        "failure_reason": None,
        "metadata": wire.mapping(call.params, "metadata"),
        "payment_intent": charge["payment_intent"],
        "reason": call.params.get("reason"),
        "status": "pending" if slow else "succeeded",
    }
    refund["balance_transaction"] = balance.book(store, "refund", refund, -amount)["id"]
    store.put(refund)
    events.emit(store, "refund.created", refund)
    events.emit(store, "charge.refunded", store.put(charge))
    return refund


def settle(store: Store, refund: Json, *, failure: str = "") -> Json:
    """The bank's last word: the money arrived, or it comes back to us for this reason."""
    refund |= {"status": "failed" if failure else "succeeded", "failure_reason": failure or None}
    if failure:
        charge = store.get("charge", refund["charge"])
        charge["amount_refunded"] -= refund["amount"]
        charge["refunded"] = False
        events.emit(store, "charge.refund.updated", store.put(refund))
        store.put(charge)
    events.emit(store, "refund.failed" if failure else "refund.updated", store.put(refund))
    return refund


def retrieve(store: Store, call: Call) -> Json:
    return store.get("refund", call.id)


def index(store: Store, call: Call) -> Json:
    return lists.page(store, "refund", call, by=("payment_intent", "charge"))


def _charge(store: Store, params: Json) -> Json:
    if not params.get("payment_intent"):
        return store.get("charge", wire.text(params, "charge"))
    intent = store.get("payment_intent", params["payment_intent"])
    if intent["status"] == "succeeded":
        return store.get("charge", intent["latest_charge"])
    raise ProviderError(
        400,
        "This PaymentIntent does not have a successful charge to refund.",
        code="charge_not_captured"
        if intent["status"] == "requires_capture"
        else "payment_intent_unexpected_state",
        payment_intent=wire.public(intent),
    )
