"""The account's balance: a transaction for whatever adds to it or takes from it, and its fee."""

from ticketing.embedded.provider import lists, wire
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json

# What is kept of each charge: so many thousandths, and so many of the smallest unit.
FEE_PER_MILLE = 15
FEE_FLAT = 25


def book(store: Store, kind: str, source: Json, amount: int, *, fee: int = 0) -> Json:
    """Write a transaction of the object that is its source."""
    fees = [{"amount": fee, "currency": source["currency"], "type": "stripe_fee"}] if fee else []
    return store.put(
        {
            "id": wire.new_id("txn_"),
            "object": "balance_transaction",
            "amount": amount,
            "available_on": wire.now(),
            "created": wire.now(),
            "currency": source["currency"],
            "exchange_rate": None,
            "fee": fee,
            "fee_details": fees,
            "net": amount - fee,
            "reporting_category": kind,
            "source": source["id"],
            "status": "available",
            "type": kind,
        }
    )


def book_charge(store: Store, charge: Json, amount: int) -> str:
    """Write that a charge was captured; returns the transaction's id."""
    fee = amount * FEE_PER_MILLE // 1000 + FEE_FLAT
    return str(book(store, "charge", charge, amount, fee=fee)["id"])


def retrieve(store: Store, call: Call) -> Json:
    return store.get("balance_transaction", call.id)


def index(store: Store, call: Call) -> Json:
    return lists.page(store, "balance_transaction", call, by=("type", "source", "currency"))
