"""Whose every place should be, said as plainly as can be; `machine` compares the house with it.

A seat is a pool of one place. What becomes of a wish is "done" or the name of the refusal.
"""

from collections import Counter
from dataclasses import dataclass, field

# What is asked for: "seat" or "pool", its pk, the pk of the fare.
Place = tuple[str, int, int]
OWNING = {"live", "sold"}


@dataclass(eq=False)
class Held:
    fan: str
    key: str
    # The wish that came with the key, and what is owned now.
    asked: Counter[Place]
    owns: Counter[Place]
    hold_id: int = 0
    # All that it ever had; the last one counts.
    tokens: list[int] = field(default_factory=list)
    # "lapsed" is free by definition, whether or not somebody has ended it; "over" has no lease.
    state: str = "live"
    is_being_paid: bool = False

    @property
    def token(self) -> int:
        return self.tokens[-1]


class House:
    def __init__(self, capacities: dict[tuple[str, int], int], caps: dict[Place, int], limit: int):
        self.capacities = capacities
        self.caps = caps
        self.limit = limit
        self.holds: list[Held] = []
        self.blocked: set[int] = set()

    def free(self, kind: str, pk: int, *, but: Held | None = None) -> int:
        if kind == "seat" and pk in self.blocked:
            return 0
        owners = self._owners(but)
        return self.capacities[kind, pk] - sum(
            number
            for held in owners
            for place, number in held.owns.items()
            if place[:2] == (kind, pk)
        )

    def left_at(self, place: Place, *, but: Held | None = None) -> int:
        """What the cap of a fare leaves; there may be none."""
        return self.caps[place] - sum(held.owns[place] for held in self._owners(but))

    def _owners(self, but: Held | None) -> list[Held]:
        return [held for held in self.holds if held.state in OWNING and held is not but]

    def place(self, fan: str, key: str, wish: Counter[Place]) -> tuple[str, Held | None]:
        known = next((held for held in self.holds if (held.fan, held.key) == (fan, key)), None)
        if wish.total() > self.limit:
            return "LimitReached", None
        if known:
            said = "done" if known.state == "live" else "HoldEnded"
            return (said if wish == known.asked else "KeyReused"), known
        if any(held.fan == fan and held.state == "live" for held in self.holds):
            return "AlreadyHolding", None
        said = self._refusal(fan, wish)
        if said == "done":
            self.holds.append(known := Held(fan, key, wish, wish))
        return said, known

    def change(self, held: Held, wish: Counter[Place]) -> str:
        if wish.total() > self.limit:
            return "LimitReached"
        if held.state != "live":
            return "HoldLost"
        if held.is_being_paid:
            return "PaymentStarted"
        said = self._refusal(held.fan, wish, but=held)
        if said == "done":
            held.owns = wish
        return said

    def refare(self, held: Held, old: Place, new: Place, admits: int) -> str:
        if held.state != "live":
            return "HoldLost"
        if held.is_being_paid:
            return "PaymentStarted"
        if new[0] == "seat" and admits > 1:
            return "NoSuchPrice"
        wish = held.owns + Counter({new: held.owns[old]}) - Counter({old: held.owns[old]})
        if wish[new] % admits:
            return "BrokenTickets"
        if old != new and self._is_short(wish, "pool", but=held):
            return "PlacesTaken"
        held.owns = wish if old != new else held.owns
        return "done"

    def block(self, seats: set[int]) -> str:
        if any(not self.free("seat", pk) for pk in seats):
            return "NotFree"
        self.blocked |= seats
        return "done"

    def lift(self, seats: set[int]) -> str:
        if not seats <= self.blocked:
            return "NotBlocked"
        self.blocked -= seats
        return "done"

    def sell(self, held: Held, token: int) -> str:
        if held.state != "live" or held.token != token:
            return "HoldLost"
        held.state = "sold"
        return "done"

    def cancel(self, held: Held, part: Counter[Place], token: int) -> str:
        if held.state != "sold" or held.token != token or not part <= held.owns:
            return "HoldLost"
        held.owns = held.owns - part
        return "done"

    def _refusal(self, fan: str, wish: Counter[Place], *, but: Held | None = None) -> str:
        owned = [h.owns.total() for h in self.holds if h.fan == fan and h.state in OWNING]
        kept = but.owns.total() if but else 0
        if self._is_short(wish, "seat", but=but):
            return "PlacesTaken"
        if sum(owned) - kept + wish.total() > self.limit:
            return "LimitReached"
        return "PlacesTaken" if self._is_short(wish, "pool", but=but) else "done"

    def _is_short(self, wish: Counter[Place], kind: str, *, but: Held | None) -> bool:
        asked: Counter[int] = Counter()
        for (what, pk, _), number in wish.items():
            asked[pk] += number if what == kind else 0
        capped = wish.keys() & self.caps.keys() if kind == "pool" else set()
        if any(wish[place] > self.left_at(place, but=but) for place in capped):
            return True
        return any(number > self.free(kind, pk, but=but) for pk, number in asked.items() if number)
