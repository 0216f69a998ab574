"""Reading somebody else's JSON, step by step: every fault is named with its place. Pure."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

from venues.errors import BadPlan, Problem
from venues.seatmaps import Point

MAX_BYTES = 20_000_000
# A hall that is larger than this in its own units is a mistake in the file.
MAX_COORDINATE = 10_000_000
CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def load(data: bytes) -> Any:
    """The value of a JSON file, or BadPlan."""
    if len(data) > MAX_BYTES:
        _refuse("", f"the file is larger than {MAX_BYTES // 1_000_000} MB; split the hall in two")
    try:
        return json.loads(data, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        _refuse(f"line {error.lineno}, column {error.colno}", f"this is not JSON ({error.msg})")
    except UnicodeDecodeError:
        _refuse("", "this is not text in UTF-8: save the file as JSON in UTF-8")
    except RecursionError:
        _refuse("", "the file is nested too deeply for a seating plan")


@dataclass(slots=True)
class Unread:
    """Names that stood in the file and that nobody here understands, and how often."""

    names: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Node:
    """An object in the document, that knows where it stands."""

    value: dict[str, Any]
    where: str
    unread: Unread

    @classmethod
    def root(cls, document: Any) -> "Node":
        if not isinstance(document, dict):
            _refuse("", "a plan is an object with zones and categories; this is something else")
        return cls(document, "", Unread())

    def at(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def refuse(self, name: str, what: str) -> NoReturn:
        _refuse(self.at(name), what)

    def note_unknown(self, known: Collection[str]) -> None:
        pattern = re.sub(r"\[\d+\]", "[]", self.where)
        self.unread.names.update(
            f"{pattern}.{name}" if pattern else name for name in self.value.keys() - set(known)
        )

    def has(self, name: str) -> bool:
        return self.value.get(name) is not None

    def text(self, name: str, *, limit: int, default: str | None = None) -> str:
        """A line of text without blanks at its ends; numbers are taken for text."""
        value = self.value.get(name)
        if value is None:
            value = default
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            self.refuse(name, "a text is missing here")
        text = CONTROL.sub(" ", value).strip()
        if len(text) > limit:
            self.refuse(name, f"this is longer than {limit} characters: shorten it")
        if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
            self.refuse(name, "this holds half a character: type it again")
        return text

    def number(self, name: str, *, default: float | None = None) -> float:
        value = self.value.get(name)
        if value is None:
            value = default
        try:
            # Older editors wrote sizes as text.
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            self.refuse(name, "a number is missing here")
        if isinstance(value, bool) or not isfinite(number) or abs(number) > MAX_COORDINATE:
            self.refuse(name, "this is not a number that a plan can have")
        return number

    def whole(self, name: str, *, low: int, high: int) -> int:
        number = self.number(name)
        if number != int(number) or not low <= number <= high:
            self.refuse(name, f"a whole number from {low} to {high} is needed here")
        return int(number)

    def flag(self, name: str) -> bool:
        value = self.value.get(name, False)
        if value not in (True, False, None):
            self.refuse(name, "this is true or false")
        return bool(value)

    def node(self, name: str) -> "Node":
        value = self.value.get(name)
        if not isinstance(value, dict):
            self.refuse(name, "an object is missing here")
        return Node(value, self.at(name), self.unread)

    def point(self, name: str, *, default: Point | None = None) -> Point:
        if not self.has(name) and default is not None:
            return default
        node = self.node(name)
        return node.number("x"), node.number("y")

    def nodes(self, name: str, *, needed: bool = True) -> Iterator["Node"]:
        for i, value in enumerate(self.values(name, needed=needed)):
            where = f"{self.at(name)}[{i}]"
            if not isinstance(value, dict):
                _refuse(where, "an object is missing here")
            yield Node(value, where, self.unread)

    def values(self, name: str, *, needed: bool = True) -> list[Any]:
        value = self.value.get(name)
        if value is None and not needed:
            return []
        if not isinstance(value, list):
            self.refuse(name, "a list is missing here")
        return value


def _refuse(where: str, what: str) -> NoReturn:
    raise BadPlan([Problem(where, what)])


def _no_constant(name: str) -> NoReturn:
    _refuse("", f"{name} is not JSON: write a number")
