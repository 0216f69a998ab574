"""What payments asks of any provider, in its own words."""

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ticketing.kernel.money import Money


class Standing(enum.Enum):
    """How the money stands, by the payment intent's own status."""

    NOTHING = "nothing is reserved"
    AUTHORIZED = "reserved"
    CAPTURED = "taken"
    CANCELED = "nothing is reserved and nothing will be"


@dataclass(frozen=True, slots=True)
class Wish:
    """A payment to open: everything the provider is sent, the same in each repetition."""

    reference: str
    amount: Money
    description: str
    email: str
    success_url: str
    cancel_url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RefundOutcome:
    """What the provider says about one refund; `is_final` and not `is_done` means it failed."""

    refund: str
    is_done: bool
    is_final: bool
    amount_minor: int
    # The name we gave it; empty when somebody else made it, such as staff in the dashboard.
    reference: str = ""
    # Why it failed, or why it takes its time.
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fee:
    """What the provider keeps for itself of one transaction, in the currency that it pays out."""

    transaction: str
    amount: Money


@dataclass(frozen=True, slots=True)
class DisputeOutcome:
    """What the provider says about one dispute."""

    dispute: str
    amount_minor: int
    reason: str
    is_open: bool
    is_won: bool
    # The transactions by which the amount went, and by which it came back.
    taken: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the provider says about one payment, at one moment."""

    session: str
    standing: Standing
    is_open: bool
    checkout_url: str = ""
    intent: str = ""
    captured_minor: int = 0
    # Every refund of it, whoever made it.
    refunds: tuple[RefundOutcome, ...] = ()
    fees: tuple[Fee, ...] = ()
    disputes: tuple[DisputeOutcome, ...] = ()
    # Why the last card was not taken.
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One payment as the provider's own list has it, with the provider's own totals."""

    intent: str
    # Ours; empty when it was not made by us.
    reference: str
    standing: Standing
    amount: Money
    captured: Money
    refunded: Money


class Gateway(Protocol):
    """A payment provider.

    Each method raises OutcomeUnknown when no answer was heard and ProviderRejected when the answer
    is no. None may be called inside a transaction.
    """

    name: str

    def open(self, wish: Wish, *, key: str) -> Outcome:
        """Open a payment that reserves the amount, for the payer to complete."""

    def find(self, *, reference: str, since: datetime) -> Outcome | None:
        """The payment that was opened under a reference, if any was."""

    def look(self, *, session: str) -> Outcome:
        """How the payment stands now."""

    def expire(self, *, session: str, key: str) -> Outcome:
        """Close a payment that nobody completed."""

    def capture(self, *, session: str, intent: str, key: str) -> Outcome:
        """Take all that is reserved."""

    def void(self, *, session: str, intent: str, key: str) -> Outcome:
        """Let all that is reserved go."""

    def refund(self, *, intent: str, amount: Money, reference: str, key: str) -> RefundOutcome:
        """Give back an amount that was taken."""

    def find_refund(self, *, intent: str, reference: str) -> RefundOutcome | None:
        """The refund that was made under a reference, if any was."""

    def statement(self, *, since: datetime) -> list[Entry]:
        """Every payment that was attempted since then, whoever asked for it."""
