"""Why a hall or its plan is refused: where the fault is, and what to do about it."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a plan file: `where` is a path such as zones[0].rows[3].seats[2]."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class BadPlan(Exception):
    """The plan cannot be read; nothing was imported."""

    def __init__(self, problems: Collection[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class SeatsWouldVanish(Exception):
    """Somebody holds or owns seats that the new version no longer has."""

    def __init__(self, guids: Collection[str]) -> None:
        super().__init__(f"missing in the new version: {sorted(guids)}")
        self.guids = frozenset(guids)


class NotADraft(Exception):
    """Only a draft can be published."""


class Incomplete(Exception):
    """Fewer rows arrived in the database than the plan has: nothing was imported."""
