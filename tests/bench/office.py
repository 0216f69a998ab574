"""The box office that is measured: servers of its own, an empty database, the demo's web server."""

import http.client
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import django
import psycopg
import redis
from django.core.management import call_command
from django.db import connection

from tests.bench.errors import BenchError
from ticketing.embedded import demo, runtime, services
from ticketing.embedded.children import Child, Family
from ticketing.embedded.places import free_port

NAME = "bench"
# Migrated and empty: every other database is a copy of it.
TEMPLATE = f"{NAME}_template"
READY_WITHIN = 30


@dataclass(frozen=True, slots=True)
class Office:
    port: int
    # For libpq: where the database is, and as whom.
    database: Mapping[str, str]
    # The first process of each part whose CPU counts.
    parts: Mapping[str, int]
    family: Family
    # The variables that its processes go by.
    values: Mapping[str, str]

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(self.values["DATABASE_URL"], autocommit=True)

    def valkey(self) -> "redis.Redis":
        return redis.Redis.from_url(self.values["VALKEY_URL"].replace("valkey://", "redis://", 1))

    @contextmanager
    def beside(self, name: str, *, port: int = 0, **values: str) -> Iterator["Office"]:
        """The same with a web server more that goes by other `values`."""
        port = port or free_port()
        child = _open_doors(self.family, name, port, {**self.values, **values})
        url = values.get("DATABASE_URL", self.values["DATABASE_URL"])
        try:
            yield replace(
                self,
                port=port,
                database={**self.database, "PGDATABASE": url.rpartition("/")[2]},
                parts={**self.parts, "app": child.process.pid},
                values={**self.values, **values},
            )
        finally:
            self.family.stop(child)

    @contextmanager
    def with_provider(self) -> Iterator["Office"]:
        """The same with a payment provider, and all that runs behind a web server of its own."""
        port, provider_port = free_port(), free_port()
        values = {
            **self.values,
            "BASE_URL": f"http://{demo.HOST}:{port}",
            "STRIPE_SECRET_KEY": demo.LOCAL_KEY,
            "STRIPE_API_BASE": f"http://{demo.HOST}:{provider_port}",
            "STRIPE_WEBHOOK_SECRET": "whsec_bench",
        }
        state = runtime.VAR / NAME / "provider"
        shutil.rmtree(state, ignore_errors=True)
        [_, provider], behind = demo.programs(port, values)
        own = {**provider.environment, "PROVIDER_STATE": str(state)}
        started = [
            self.family.start(replace(program, name=f"bench-{program.name}"))
            for program in [replace(provider, environment=own), *behind]
        ]
        parts = {child.program.name.removeprefix("bench-"): child.process.pid for child in started}
        try:
            with self.beside("bench-web", port=port, **values) as office:
                yield replace(office, parts={**office.parts, **parts})
        finally:
            for child in started:
                self.family.stop(child)

    @contextmanager
    def with_database(self, name: str) -> Iterator["Office"]:
        """The same with a web server and an empty database more, which Django uses meanwhile."""
        url = _new_database(self.values["DATABASE_URL"], name, TEMPLATE)
        with self.beside(f"web-{name}", DATABASE_URL=url) as office, _used_by_django(name):
            yield office
        _forget_database(self.values["DATABASE_URL"], name)


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
        values["DATABASE_URL"] = _new_database(values["DATABASE_URL"], TEMPLATE, "template1")
        os.environ.update(demo.environment(values))
        django.setup()
        call_command("migrate", verbosity=0)
        # A database is copied while nobody uses it.
        connection.close()
        values["DATABASE_URL"] = _new_database(values["DATABASE_URL"], NAME, TEMPLATE)
        with _used_by_django(NAME):
            web = _open_doors(family, "web", port, values)
            children = {"app": web, "postgres": postgres, "valkey": valkey}
            yield Office(
                port=port,
                database=_libpq(),
                parts={part: child.process.pid for part, child in children.items()},
                family=family,
                values=values,
            )
    finally:
        family.close()


def _new_database(url: str, name: str, template: str) -> str:
    """Put a copy of `template` in place of what an earlier run left, and return its address."""
    _forget_database(url, name)
    with _server(url) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return f"{url.rpartition('/')[0]}/{name}"


def _forget_database(url: str, name: str) -> None:
    with _server(url) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _server(url: str) -> psycopg.Connection:
    return psycopg.connect(f"{url.rpartition('/')[0]}/postgres", autocommit=True)


@contextmanager
def _used_by_django(name: str) -> Iterator[None]:
    was = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = was


def _libpq() -> dict[str, str]:
    known = connection.get_connection_params()
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    names["dbname"] = "DATABASE"
    return {f"PG{name}": str(known[key]) for key, name in names.items()}


def _open_doors(family: Family, name: str, port: int, values: Mapping[str, str]) -> Child:
    """Start a web server just as the demo does, and wait until it answers."""
    [web, *_], _ = demo.programs(port, values)
    child = family.start(replace(web, name=name))
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
