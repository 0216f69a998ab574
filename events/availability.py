"""How much is still free: asked of the floor above, which says so at start-up.

Lists of events live here and places live in inventory, so the level is handed down. It is a hint
for people who look around; whoever takes a place learns the truth there.
"""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum


class Level(StrEnum):
    MANY = "many"
    FEW = "few"
    NONE = "none"

    @classmethod
    def of(cls, free: int, places: int, *, few: float) -> "Level":
        """How full it is; few are left below this share of all places."""
        if free <= 0:
            return cls.NONE
        return cls.FEW if free < few * places else cls.MANY


Levels = Callable[[Collection[int]], Mapping[int, Level]]
_providers: list[Levels] = []


def provide(function: Levels) -> None:
    """Hand in a function from events' ids to levels; it may leave out what it does not know."""
    _providers.append(function)


def levels(event_ids: Collection[int]) -> dict[int, Level]:
    """The level of each event that is known to have places."""
    found: dict[int, Level] = {}
    for ask in _providers if event_ids else ():
        found.update(ask(event_ids))
    return found
