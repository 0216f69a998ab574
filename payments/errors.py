"""What callers of payments can act on."""

from ticketing.kernel.money import Money


class PaymentError(Exception):
    pass


class OutcomeUnknown(PaymentError):
    """Nobody heard an answer that says what happened: neither a success nor a failure.

    `key_is_spent`: the provider keeps a failure under the idempotency key, so that sending it again
    would only bring the same failure again.
    """

    def __init__(self, why: str, *, key_is_spent: bool = False) -> None:
        super().__init__(why)
        self.key_is_spent = key_is_spent


class ProviderRejected(PaymentError):
    """The provider answered that it will not do this, and nothing was done."""

    def __init__(self, why: str, *, code: str = "") -> None:
        super().__init__(why)
        self.code = code


class Declined(ProviderRejected):
    """The card's bank said no."""


class AnotherAmount(PaymentError):
    """The reference already names a payment of another amount: give the new wish a new one."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"payment {reference} is of another amount")
        self.reference = reference


class MoreThanThere(PaymentError):
    """So much of the payment is not left to give back."""

    def __init__(self, reference: str, left: Money) -> None:
        super().__init__(f"payment {reference} has {left} left to give back")
        self.left = left


class UnknownPayment(PaymentError):
    def __init__(self, reference: str) -> None:
        super().__init__(f"there is no payment {reference!r}")
        self.reference = reference
