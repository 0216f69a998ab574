"""Customers, payment methods, and how each test card behaves."""

from dataclasses import dataclass

from ticketing.embedded.provider import lists, wire
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError


@dataclass(frozen=True, slots=True)
class Card:
    """A test card: what it asks for, and how it answers."""

    number: str
    authenticates: bool = False
    code: str = ""
    decline_code: str | None = None
    message: str = ""
    # What is refunded to it is pending until the bank says more.
    refunds_later: bool = False

    @property
    def brand(self) -> str:
        return "mastercard" if self.number.startswith("5") else "visa"


GOOD = Card("4242424242424242")
DECLINED = Card(
    "4000000000000002",
    code="card_declined",
    decline_code="generic_decline",
    message="Your card was declined.",
)
NO_FUNDS = Card(
    "4000000000009995",
    code="card_declined",
    decline_code="insufficient_funds",
    message="Your card has insufficient funds.",
)
EXPIRED = Card("4000000000000069", code="expired_card", message="Your card has expired.")
BAD_CVC = Card(
    "4000000000000127", code="incorrect_cvc", message="Your card's security code is incorrect."
)
BROKEN = Card(
    "4000000000000119",
    code="processing_error",
    message="An error occurred while processing your card. Try again in a little bit.",
)
SECURE = Card("4000002500003155", authenticates=True)
SECURE_DECLINED = Card(
    "4000008400001629",
    authenticates=True,
    code="card_declined",
    decline_code="generic_decline",
    message="Your card was declined.",
)
SLOW_REFUND = Card("4000000000007726", refunds_later=True)
NUMBERS = {
    card.number: card
    for card in (
        GOOD,
        Card("5555555555554444"),
        DECLINED,
        NO_FUNDS,
        EXPIRED,
        BAD_CVC,
        BROKEN,
        SECURE,
        Card("4000000000003220", authenticates=True),
        SECURE_DECLINED,
        SLOW_REFUND,
    )
}
TOKENS = {
    "pm_card_visa": GOOD,
    "pm_card_mastercard": NUMBERS["5555555555554444"],
    "pm_card_chargeDeclined": DECLINED,
    "pm_card_visa_chargeDeclined": DECLINED,
    "pm_card_chargeDeclinedInsufficientFunds": NO_FUNDS,
    "pm_card_visa_chargeDeclinedInsufficientFunds": NO_FUNDS,
    "pm_card_chargeDeclinedExpiredCard": EXPIRED,
    "pm_card_chargeDeclinedIncorrectCvc": BAD_CVC,
    "pm_card_chargeDeclinedProcessingError": BROKEN,
    "pm_card_threeDSecure2Required": NUMBERS["4000000000003220"],
    "pm_card_threeDSecureRequired": NUMBERS["4000000000003220"],
    "pm_card_authenticationRequired": SECURE,
}


def card_for(store: Store, payment_method: str) -> Card:
    """The card behind a payment method's id or a test token."""
    if payment_method in TOKENS:
        return TOKENS[payment_method]
    return NUMBERS[store.get("payment_method", payment_method)["_number"]]


def keep(store: Store, number: str) -> Json:
    """Make a payment method of a card number; only test cards are taken."""
    digits = "".join(number.split())
    if digits not in NUMBERS:
        raise ProviderError(
            402,
            "This is not one of the test cards. Never type a real card number here.",
            kind="card_error",
            code="incorrect_number",
            param="number",
        )
    return store.put(
        {
            "id": wire.new_id("pm_"),
            "object": "payment_method",
            "type": "card",
            "created": wire.now(),
            "livemode": False,
            "customer": None,
            "metadata": {},
            "card": {
                "brand": NUMBERS[digits].brand,
                "last4": digits[-4:],
                "exp_month": 12,
                "exp_year": 2040,
            },
            "_number": digits,
        }
    )


def create_method(store: Store, call: Call) -> Json:
    return keep(store, wire.text(wire.mapping(call.params, "card"), "number"))


def retrieve_method(store: Store, call: Call) -> Json:
    return store.get("payment_method", call.id)


def create_customer(store: Store, call: Call) -> Json:
    return store.put(
        {
            "id": wire.new_id("cus_"),
            "object": "customer",
            "created": wire.now(),
            "livemode": False,
            "email": call.params.get("email"),
            "name": call.params.get("name"),
            "metadata": wire.mapping(call.params, "metadata"),
        }
    )


def retrieve_customer(store: Store, call: Call) -> Json:
    return store.get("customer", call.id)


def index_customers(store: Store, call: Call) -> Json:
    return lists.page(store, "customer", call, by=("email",))
