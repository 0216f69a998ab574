"""PostgreSQL and Valkey for one set, except those that the environment already names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ticketing.embedded import postgres, runtime, valkey
from ticketing.embedded.children import Child, Family
from ticketing.embedded.places import home

GIVEN = ("DATABASE_URL", "VALKEY_URL", "CACHE_URL")


def start(
    family: Family, *, keep: bool, durable: bool = True
) -> tuple[dict[str, str], list[Child]]:
    """Start what is missing, and return the variables that lead to all of it, and the children.

    With `keep`, what Valkey holds outlives it as well as what PostgreSQL holds. Without `durable`,
    PostgreSQL does not wait for the disk: for data that nobody would miss.
    """
    values = {name: os.environ[name] for name in GIVEN if os.environ.get(name)}
    started = []
    if "DATABASE_URL" not in values:
        child, values["DATABASE_URL"] = postgres.start(family, home(family.name), durable=durable)
        started.append(child)
    if "VALKEY_URL" not in values:
        child, address = valkey.start(family, home(family.name), keep=keep)
        started.append(child)
        values["VALKEY_URL"] = f"{address}/0"
        values.setdefault("CACHE_URL", f"{address}/1")
    return values, started


@contextmanager
def running(
    name: str, *, keep: bool = False, durable: bool = True, patience: float = 20
) -> Iterator[dict[str, str]]:
    """Run the set `name` for the length of a block, and yield the variables that lead to it."""
    family = Family(name, patience=patience)
    try:
        values, _ = start(family, keep=keep, durable=durable)
        runtime.publish(name, values)
        yield values
    finally:
        family.close()
