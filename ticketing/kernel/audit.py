"""The registry of audit queries: each looks for one thing that may never be.

An app registers its checks in `AppConfig.ready` by importing its `audits` module;
`manage.py audit` runs them all.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: which rule, which rows, and what it means for whoever reads it."""

    rule: str
    subject: str
    detail: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.subject}: {self.detail}"


Check = Callable[[], Iterable[Finding]]
_checks: dict[str, Check] = {}


def check(rule: str) -> Callable[[Check], Check]:
    """Register a query under the sentence it holds true, such as "a hold owns all its places"."""

    def register(function: Check) -> Check:
        if rule in _checks:
            raise ValueError(f"two audit checks are named {rule!r}")
        _checks[rule] = function
        return function

    return register


def register_query(rule: str, *, sql: str, advice: str) -> None:
    """Register a query whose rows, each one column that names the subject, should not exist."""

    @check(rule)
    def ask() -> Iterator[Finding]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            rows = cursor.fetchall()
        for (subject,) in rows:
            yield Finding(rule, str(subject), advice)


def rules() -> list[str]:
    return sorted(_checks)


def run() -> Iterator[Finding]:
    """Run every check; what is yielded should not exist."""
    for rule in rules():
        yield from _checks[rule]()
