"""State machines, written the one way this project writes them.

A model's `MOVES` names, for each state, the states that may follow it. `move_to` is one
guarded UPDATE: a row that may not make the move is left alone and not counted, so the
caller learns of a lost race from the number returned.
"""

from collections.abc import Mapping, Set
from typing import Any, TypeVar

from django.db import models

ModelT = TypeVar("ModelT", bound=models.Model)
Moves = Mapping[str, Set[str]]


def sources(moves: Moves, target: str) -> list[str]:
    """The states that `target` may follow."""
    return [source for source, targets in moves.items() if target in targets]


class StatefulQuerySet(models.QuerySet[ModelT]):
    def move_to(self, state: str, **changes: Any) -> int:
        """Move these rows to `state`, those that may, and return how many did."""
        moves: Moves = self.model.MOVES  # type: ignore[attr-defined]
        return self.filter(state__in=sources(moves, state)).update(state=state, **changes)
