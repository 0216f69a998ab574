"""A payment provider in memory: one payment, events as they happen, and calls that go astray."""
# ruff: noqa: ARG002 - it has one payment only, whatever it is asked about

import itertools
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Literal, TypeVar

from payments.errors import OutcomeUnknown, ProviderRejected
from payments.gateway import Outcome, RefundOutcome, Standing, Wish
from ticketing.kernel.money import Money

# A call gets through; its effect never came to be; it did, and the answer was lost; or it broke,
# and breaks again for the same key.
Fate = Literal["", "before", "after", "broken"]
T = TypeVar("T")
_numbers = itertools.count(1)


class Till:
    name = "stripe"

    def __init__(self, fates: Iterable[Fate]) -> None:
        number = next(_numbers)
        self._session, self._intent = f"cs_till_{number}", f"pi_till_{number}"
        self._fates = deque(fates)
        self._broken: set[str] = set()
        self._done: dict[str, Any] = {}
        self._wish: Wish | None = None
        self.standing = Standing.NOTHING
        self.is_open = False
        self.refunds: dict[str, RefundOutcome] = {}
        # What came of each call that gets through, and what the provider tells of it.
        self.effects: list[str] = []
        self.events: list[dict[str, Any]] = []

    def mend(self) -> None:
        """From now on every call gets through."""
        self._fates.clear()

    def pay(self) -> None:
        """The payer uses the provider's page, if it is open."""
        if self.is_open:
            self.is_open, self.standing = False, Standing.AUTHORIZED
            self._happened("authorized", "payment_intent.amount_capturable_updated")
            self._tell("checkout.session.completed")

    @property
    def kept(self) -> int:
        """What the payer is without: reserved, or taken and not given back."""
        back = sum(refund.amount_minor for refund in self.refunds.values())
        has_money = self.standing in {Standing.AUTHORIZED, Standing.CAPTURED}
        return self._amount - back if has_money else 0

    def open(self, wish: Wish, *, key: str) -> Outcome:
        def do() -> Outcome:
            assert self._wish is None, "two payments were opened"
            self._wish, self.is_open = wish, True
            return self._outcome()

        return self._call(do, key)

    def find(self, *, reference: str, since: datetime) -> Outcome | None:
        return self._call(lambda: self._outcome() if self._wish else None)

    def look(self, *, session: str) -> Outcome:
        if session != self._session:
            raise ProviderRejected("there is no such session")
        return self._call(self._outcome)

    def expire(self, *, session: str, key: str) -> Outcome:
        def do() -> None:
            if not self.is_open:
                raise ProviderRejected("it is not open")
            self.is_open, self.standing = False, Standing.CANCELED
            self._happened("expired", "checkout.session.expired")

        self._call(do, key)
        return self.look(session=session)

    def capture(self, *, session: str, intent: str, key: str) -> Outcome:
        self._move(Standing.CAPTURED, "captured", "payment_intent.succeeded", key)
        return self.look(session=session)

    def void(self, *, session: str, intent: str, key: str) -> Outcome:
        self._move(Standing.CANCELED, "voided", "payment_intent.canceled", key)
        return self.look(session=session)

    def refund(self, *, intent: str, amount: Money, reference: str, key: str) -> RefundOutcome:
        def do() -> RefundOutcome:
            if self.standing != Standing.CAPTURED or amount.minor > self.kept:
                raise ProviderRejected("so much is not there", code="amount_too_large")
            name = f"re_{len(self.refunds)}"
            made = RefundOutcome(
                name, is_done=True, is_final=True, amount_minor=amount.minor, reference=reference
            )
            self.refunds[name] = made
            self._happened("refunded", "charge.refunded")
            return made

        return self._call(do, key)

    def find_refund(self, *, intent: str, reference: str) -> RefundOutcome | None:
        made = (refund for refund in self.refunds.values() if refund.reference == reference)
        return self._call(lambda: next(made, None))

    @property
    def _amount(self) -> int:
        return self._wish.amount.minor if self._wish else 0

    def _move(self, standing: Standing, effect: str, kind: str, key: str) -> None:
        def do() -> None:
            if self.standing != Standing.AUTHORIZED:
                raise ProviderRejected("nothing is reserved")
            self.standing = standing
            self._happened(effect, kind)

        self._call(do, key)

    def _call(self, do: Callable[[], T], key: str = "") -> T:
        fate = self._fates.popleft() if self._fates else ""
        if key in self._broken:
            raise OutcomeUnknown("it broke, again", key_is_spent=True)
        if fate == "broken" and key:
            self._broken.add(key)
        if fate in {"before", "broken"}:
            raise OutcomeUnknown(f"silence {fate}")
        # Every repetition of a key gets the first answer.
        result: T = self._done[key] if key in self._done else do()
        if key:
            self._done[key] = result
        if fate == "after":
            raise OutcomeUnknown("silence after")
        return result

    def _outcome(self) -> Outcome:
        is_paid = self.standing in {Standing.AUTHORIZED, Standing.CAPTURED}
        return Outcome(
            self._session,
            self.standing,
            is_open=self.is_open,
            checkout_url="http://pay.example/1",
            intent=self._intent if is_paid or "authorized" in self.effects else "",
            captured_minor=self._amount if self.standing == Standing.CAPTURED else 0,
            refunds=tuple(self.refunds.values()),
        )

    def _happened(self, effect: str, kind: str) -> None:
        self.effects.append(effect)
        self._tell(kind)

    def _tell(self, kind: str) -> None:
        reference = self._wish.reference if self._wish else ""
        names = {"metadata": {"reference": reference}, "payment_intent": self._intent}
        if kind.startswith("checkout.session"):
            names = {
                "object": "checkout.session",
                "id": self._session,
                "client_reference_id": reference,
            }
        elif kind.startswith("payment_intent"):
            names |= {"object": "payment_intent", "id": self._intent}
        else:
            names |= {"object": "charge", "id": "ch_1"}
        identity = f"evt_{self._session}_{len(self.events)}"
        self.events.append({"id": identity, "type": kind, "data": {"object": names}})
