"""The box office that is measured: servers of its own, an empty database, the demo's web server."""

import http.client
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import django
import psycopg
from django.core.management import call_command
from django.db import connection

from tests.bench.errors import BenchError
from ticketing.embedded import demo, services
from ticketing.embedded.children import Child, Family
from ticketing.embedded.places import free_port

NAME = "bench"
READY_WITHIN = 30


@dataclass(frozen=True, slots=True)
class Office:
    port: int
    # For libpq: where the database is, and as whom.
    database: Mapping[str, str]
    # The first process of each part whose CPU counts.
    parts: Mapping[str, int]


@contextmanager
def opened() -> Iterator[Office]:
    """Run everything for the length of a block, with Django set up and a new database."""
    for name in services.GIVEN:
        # The CPU of servers elsewhere could not be counted, nor may their data be played with.
        os.environ.pop(name, None)
    family = Family(NAME)
    try:
        values, (postgres, valkey) = services.start(family, keep=False)
        port = free_port()
        values |= {"BASE_URL": f"http://{demo.HOST}:{port}", "STRIPE_SECRET_KEY": "sk_test_bench"}
        values["DATABASE_URL"] = _new_database(values["DATABASE_URL"])
        os.environ.update(demo.environment(values))
        django.setup()
        call_command("migrate", verbosity=0)
        web = _open_doors(family, port, values)
        children = {"app": web, "postgres": postgres, "valkey": valkey}
        yield Office(
            port=port,
            database=_libpq(),
            parts={part: child.process.pid for part, child in children.items()},
        )
        connection.close()
    finally:
        family.close()


def _new_database(url: str) -> str:
    """Put an empty one in place of the last run's, and return its address."""
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {NAME}")
    return f"{url.rpartition('/')[0]}/{NAME}"


def _libpq() -> dict[str, str]:
    known = connection.get_connection_params()
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    names["dbname"] = "DATABASE"
    return {f"PG{name}": str(known[key]) for key, name in names.items()}


def _open_doors(family: Family, port: int, values: Mapping[str, str]) -> Child:
    """Start the web server just as the demo does, and wait until it answers."""
    [web, *_], _ = demo.programs(port, values)
    child = family.start(web)
    deadline = time.monotonic() + READY_WITHIN
    while not _answers(port):
        if not child.is_alive or time.monotonic() > deadline:
            raise BenchError(f"the web server does not start. {child.last_words()}")
        time.sleep(0.1)
    return child


def _answers(port: int) -> bool:
    door = http.client.HTTPConnection(demo.HOST, port, timeout=5)
    try:
        door.request("GET", "/readyz")
        return door.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        door.close()
