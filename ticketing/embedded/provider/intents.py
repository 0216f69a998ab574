"""Payment intents and the charges they make: confirm, capture, cancel."""

from typing import Any

from ticketing.embedded.provider import balance, cards, configuration, events, lists, wire
from ticketing.embedded.provider.cards import Card
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError

# How long a card's bank keeps an uncaptured amount reserved.
AUTHORIZATION_LIFE = 7 * 24 * 60 * 60
CONFIRMABLE = {"requires_payment_method", "requires_confirmation"}
CANCELABLE = {*CONFIRMABLE, "requires_action", "requires_capture", "processing"}


def create(store: Store, call: Call) -> Json:
    intent = start(store, call.params)
    if wire.flag(call.params, "confirm"):
        confirm_intent(store, intent)
    return intent


def start(store: Store, params: Json) -> Json:
    """Make an intent that asks for money; nothing is charged yet."""
    identity = wire.new_id("pi_")
    method = params.get("payment_method")
    intent = store.put(
        {
            "id": identity,
            "object": "payment_intent",
            "amount": wire.integer(params, "amount"),
            "amount_capturable": 0,
            "amount_received": 0,
            "automatic_payment_methods": params.get("automatic_payment_methods"),
            "canceled_at": None,
            "cancellation_reason": None,
            "capture_method": params.get("capture_method", "automatic_async"),
            "client_secret": f"{identity}_secret_{wire.new_id('')}",
            "created": wire.now(),
            "currency": wire.text(params, "currency").lower(),
            "customer": params.get("customer"),
            "description": params.get("description"),
            "last_payment_error": None,
            "latest_charge": None,
            "livemode": False,
            "metadata": wire.mapping(params, "metadata"),
            "next_action": None,
            "payment_method": method,
            "payment_method_types": ["card"],
            "receipt_email": params.get("receipt_email"),
            "status": "requires_confirmation" if method else "requires_payment_method",
            "_return_url": params.get("return_url"),
            "_session": params.get("_session"),
        }
    )
    events.emit(store, "payment_intent.created", intent)
    return intent


def retrieve(store: Store, call: Call) -> Json:
    return store.get("payment_intent", call.id)


def index(store: Store, call: Call) -> Json:
    return lists.page(store, "payment_intent", call, by=("customer",))


def search(store: Store, call: Call) -> Json:
    return lists.search(store, "payment_intent", call)


def update(store: Store, call: Call) -> Json:
    intent = store.get("payment_intent", call.id)
    if "amount" in call.params:
        if intent["status"] not in {*CONFIRMABLE, "requires_action"}:
            raise _unexpected(intent, "updated")
        intent["amount"] = wire.integer(call.params, "amount")
    intent["metadata"] |= wire.mapping(call.params, "metadata")
    intent |= {k: call.params[k] for k in ("description", "receipt_email") if k in call.params}
    return store.put(intent)


def confirm(store: Store, call: Call) -> Json:
    intent = store.get("payment_intent", call.id)
    if intent["status"] not in CONFIRMABLE:
        raise _unexpected(intent, "confirmed")
    intent["payment_method"] = call.params.get("payment_method") or intent["payment_method"]
    intent["_return_url"] = call.params.get("return_url") or intent["_return_url"]
    confirm_intent(store, intent)
    return intent


def confirm_intent(store: Store, intent: Json, *, authenticated: bool = False) -> None:
    """Try the card: authorized, charged, asked to authenticate, or declined with an error."""
    if not intent["payment_method"]:
        raise ProviderError(
            400,
            "You cannot confirm this PaymentIntent because it's missing a payment method.",
            code="payment_intent_unexpected_state",
            payment_intent=wire.public(intent),
        )
    card = cards.card_for(store, intent["payment_method"])
    if card.authenticates and not authenticated:
        _ask_to_authenticate(store, intent)
    elif card.code:
        _decline(store, intent, card)
    else:
        _charge(store, intent, card)


def fail_authentication(store: Store, intent: Json) -> None:
    """The payer did not prove who they are; another card may be tried."""
    error = {
        "type": "invalid_request_error",
        "code": "payment_intent_authentication_failure",
        "message": "We could not authenticate your card. Choose another card and try again.",
    }
    _open_again(store, intent, error)


def capture(store: Store, call: Call) -> Json:
    intent = store.get("payment_intent", call.id)
    if intent["status"] != "requires_capture":
        raise _unexpected(intent, "captured")
    amount = intent["amount_capturable"]
    if "amount_to_capture" in call.params:
        amount = wire.integer(call.params, "amount_to_capture")
    if amount > intent["amount_capturable"]:
        raise ProviderError(
            400,
            f"Amount to capture ({amount}) is greater than {intent['amount_capturable']}.",
            code="amount_too_large",
            param="amount_to_capture",
        )
    charge = store.get("charge", intent["latest_charge"])
    charge |= {
        "captured": True,
        "amount_captured": amount,
        "balance_transaction": balance.book_charge(store, charge, amount),
    }
    events.emit(store, "charge.captured", store.put(charge))
    intent |= {"status": "succeeded", "amount_received": amount, "amount_capturable": 0}
    events.emit(store, "payment_intent.succeeded", store.put(intent))
    return intent


def cancel(store: Store, call: Call) -> Json:
    intent = store.get("payment_intent", call.id)
    if intent["status"] not in CANCELABLE:
        raise _unexpected(intent, "canceled")
    session = store.find(intent["_session"]) if intent["_session"] else None
    if session and session["status"] == "open":
        raise ProviderError(
            400, "You cannot cancel the PaymentIntent of an open Checkout Session: expire that."
        )
    return cancel_intent(store, intent, call.params.get("cancellation_reason"))


def cancel_intent(store: Store, intent: Json, reason: str | None) -> Json:
    """End an intent that took no money; a reserved amount goes back to the card."""
    if intent["status"] == "requires_capture":
        charge = store.get("charge", intent["latest_charge"])
        charge |= {"refunded": True, "amount_refunded": charge["amount"]}
        kind = "charge.expired" if reason == "expired" else "charge.refunded"
        events.emit(store, kind, store.put(charge))
    intent |= {
        "status": "canceled",
        "canceled_at": wire.now(),
        "cancellation_reason": reason,
        "amount_capturable": 0,
        "next_action": None,
    }
    events.emit(store, "payment_intent.canceled", store.put(intent))
    return intent


def expire_authorization(store: Store, intent: Json) -> None:
    """The bank stops reserving the amount."""
    if intent["status"] == "requires_capture":
        cancel_intent(store, intent, "expired")


def expire_due(store: Store) -> None:
    waiting = store.newest(
        "payment_intent",
        where={"status": "requires_capture"},
        created={"<": wire.now() - AUTHORIZATION_LIFE},
    )
    for intent in waiting:
        expire_authorization(store, intent)


def last_error(store: Store, intent_id: str) -> Json | None:
    """Why the last card was not taken, if it was not."""
    error: Json | None = store.get("payment_intent", intent_id)["last_payment_error"]
    return error


def retrieve_charge(store: Store, call: Call) -> Json:
    return store.get("charge", call.id)


def index_charges(store: Store, call: Call) -> Json:
    return lists.page(store, "charge", call, by=("payment_intent", "customer"))


def _ask_to_authenticate(store: Store, intent: Json) -> None:
    intent |= {
        "status": "requires_action",
        "next_action": {
            "type": "redirect_to_url",
            "redirect_to_url": {
                "url": f"{configuration.read().base_url}/_3ds/{intent['id']}",
                "return_url": intent["_return_url"],
            },
        },
    }
    events.emit(store, "payment_intent.requires_action", store.put(intent))


def _decline(store: Store, intent: Json, card: Card) -> None:
    charge = _new_charge(intent, card, status="failed", paid=False)
    charge |= {"failure_code": card.code, "failure_message": card.message}
    events.emit(store, "charge.failed", store.put(charge))
    intent["latest_charge"] = charge["id"]
    error = {
        "type": "card_error",
        "code": card.code,
        "decline_code": card.decline_code,
        "message": card.message,
        "charge": charge["id"],
    }
    _open_again(store, intent, error)
    raise ProviderError(
        402,
        card.message,
        kind="card_error",
        code=card.code,
        decline_code=card.decline_code,
        charge=charge["id"],
        payment_intent=wire.public(intent),
    )


def _open_again(store: Store, intent: Json, error: Json) -> None:
    intent |= {
        "status": "requires_payment_method",
        "payment_method": None,
        "next_action": None,
        "last_payment_error": error,
    }
    events.emit(store, "payment_intent.payment_failed", store.put(intent))


def _charge(store: Store, intent: Json, card: Card) -> None:
    at_once = intent["capture_method"] != "manual"
    charge = _new_charge(intent, card, status="succeeded", paid=True)
    if at_once:
        charge |= {
            "captured": True,
            "amount_captured": intent["amount"],
            "balance_transaction": balance.book_charge(store, charge, intent["amount"]),
        }
    events.emit(store, "charge.succeeded", store.put(charge))
    intent |= {"latest_charge": charge["id"], "last_payment_error": None, "next_action": None}
    if at_once:
        intent |= {"status": "succeeded", "amount_received": intent["amount"]}
        events.emit(store, "payment_intent.succeeded", store.put(intent))
    else:
        intent |= {"status": "requires_capture", "amount_capturable": intent["amount"]}
        events.emit(store, "payment_intent.amount_capturable_updated", store.put(intent))


def _new_charge(intent: Json, card: Card, **fields: Any) -> Json:
    return {
        "id": wire.new_id("ch_"),
        "object": "charge",
        "amount": intent["amount"],
        "amount_captured": 0,
        "amount_refunded": 0,
        "balance_transaction": None,
        "captured": False,
        "created": wire.now(),
        "currency": intent["currency"],
        "customer": intent["customer"],
        "description": intent["description"],
        "disputed": False,
        "failure_code": None,
        "failure_message": None,
        "livemode": False,
        "metadata": dict(intent["metadata"]),
        "payment_intent": intent["id"],
        "payment_method": intent["payment_method"],
        "payment_method_details": {
            "type": "card",
            "card": {
                "brand": card.brand,
                "last4": card.number[-4:],
                "capture_before": wire.now() + AUTHORIZATION_LIFE,
            },
        },
        "refunded": False,
        **fields,
    }


def _unexpected(intent: Json, done: str) -> ProviderError:
    return ProviderError(
        400,
        f"This PaymentIntent could not be {done} because it has a status of {intent['status']}.",
        code="payment_intent_unexpected_state",
        payment_intent=wire.public(intent),
    )
