"""PostgreSQL and Valkey of these tests' own, to be killed, frozen, emptied and brought back."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import environ
import psycopg
import redis
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from ticketing.embedded import services
from ticketing.embedded.children import Child, Family

NAME = "faults"
PATIENCE = 60


class Servers:
    def __init__(self, family: Family) -> None:
        self._family = family
        values, (self._postgres, self._valkey) = services.start(family, keep=False)
        with psycopg.connect(values["DATABASE_URL"], autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
            server.execute(f"CREATE DATABASE {NAME}")
        self.environment = values | {
            "DATABASE_URL": f"{values['DATABASE_URL'].rpartition('/')[0]}/{NAME}"
        }

    def kill_postgres(self) -> None:
        """SIGKILL for the postmaster: its children notice and end, with nothing written down."""
        self._postgres.process.kill()
        self._postgres.process.wait(timeout=PATIENCE)

    def start_postgres(self) -> None:
        """On the same port and data; what was committed comes back from the log."""
        self._postgres = self._start_again(self._postgres, self._is_postgres_up)

    def kill_valkey(self) -> None:
        self._valkey.process.kill()
        self._valkey.process.wait(timeout=PATIENCE)

    def start_valkey(self) -> None:
        """Empty: it keeps nothing."""
        self._valkey = self._start_again(self._valkey, self._is_valkey_up)

    def freeze_valkey(self) -> None:
        """It still accepts connections, and answers none."""
        self._valkey.process.send_signal(signal.SIGSTOP)

    def thaw_valkey(self) -> None:
        self._valkey.process.send_signal(signal.SIGCONT)

    def empty_valkey(self) -> None:
        with self._valkey_client() as client:
            client.flushall()

    def _start_again(self, child: Child, is_up: Callable[[], bool]) -> Child:
        self._family.stop(child)
        deadline = time.monotonic() + PATIENCE
        again = self._family.start(child.program)
        while not is_up():
            assert time.monotonic() < deadline, again.last_words()
            if not again.is_alive:
                # As long as a child of the dead one lives, PostgreSQL does not start.
                self._family.stop(again)
                again = self._family.start(child.program)
            time.sleep(0.1)
        return again

    def _is_postgres_up(self) -> bool:
        try:
            psycopg.connect(self.environment["DATABASE_URL"]).close()
        except psycopg.OperationalError:
            return False
        return True

    def _is_valkey_up(self) -> bool:
        try:
            with self._valkey_client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def _valkey_client(self) -> "redis.Redis":
        url = self.environment["VALKEY_URL"].replace("valkey", "redis", 1)
        return redis.Redis.from_url(url, socket_timeout=5)


@contextmanager
def running() -> Iterator[Servers]:
    family = Family(NAME)
    try:
        yield Servers(family)
    finally:
        family.close()


@contextmanager
def database(url: str) -> Iterator[None]:
    """Let Django, in this process, work in that database."""
    connection.close()
    before = dict(connection.settings_dict)
    there = environ.Env.db_url_config(url)
    connection.settings_dict |= {
        name: there[name] for name in ("NAME", "HOST", "PORT", "PASSWORD", "USER")
    }
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict |= before
        # Their numbers are another database's.
        ContentType.objects.clear_cache()
