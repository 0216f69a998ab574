"""The gateway for payments of nothing: it says yes at once and calls nobody."""
# ruff: noqa: ARG002 - it needs to know nothing of what the protocol hands it

from datetime import datetime

from payments.errors import ProviderRejected
from payments.gateway import Entry, Outcome, RefundOutcome, Standing, Wish
from ticketing.kernel.money import Money

NAME = "free"


class FreeGateway:
    name = NAME

    def open(self, wish: Wish, *, key: str) -> Outcome:
        return _paid(f"free-{wish.reference}")

    def find(self, *, reference: str, since: datetime) -> Outcome | None:
        return _paid(f"free-{reference}")

    def look(self, *, session: str) -> Outcome:
        return _paid(session)

    def expire(self, *, session: str, key: str) -> Outcome:
        return _paid(session)

    def capture(self, *, session: str, intent: str, key: str) -> Outcome:
        return _paid(session)

    def void(self, *, session: str, intent: str, key: str) -> Outcome:
        return _paid(session)

    def refund(self, *, intent: str, amount: Money, reference: str, key: str) -> RefundOutcome:
        raise ProviderRejected("there is nothing to give back")

    def find_refund(self, *, intent: str, reference: str) -> RefundOutcome | None:
        return None

    def statement(self, *, since: datetime) -> list[Entry]:
        return []


def _paid(session: str) -> Outcome:
    return Outcome(session, Standing.CAPTURED, is_open=False, intent=session)
