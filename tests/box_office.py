"""A whole box office for a test: the real processes, against the test's database."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
import requests
from django.db import connection

from tests.provider import KEY, ROOT, SECRET, LocalProvider, free_port


class BoxOffice:
    """Web, worker and ticker as processes of their own; any of them can be killed and restarted."""

    def __init__(self, var: Path, provider: LocalProvider) -> None:
        self.var = var
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        base, _, _ = os.environ["DATABASE_URL"].rpartition("/")
        broker, _, _ = os.environ["VALKEY_URL"].rpartition("/")
        # A corner of Valkey of its own: no task of another test is waiting there.
        valkey = f"{broker}/7"
        self._store = redis.Redis.from_url(valkey.replace("valkey://", "redis://", 1))
        self._store.flushdb()
        self.environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "ticketing.settings.local",
            "VAR_DIR": str(var),
            "DATABASE_URL": f"{base}/{connection.settings_dict['NAME']}",
            "VALKEY_URL": valkey,
            "CACHE_URL": valkey,
            "BASE_URL": self.url,
            "STRIPE_API_BASE": provider.base_url,
            "STRIPE_SECRET_KEY": KEY,
            "STRIPE_WEBHOOK_SECRET": SECRET,
            "PYTHONUNBUFFERED": "1",
        }
        provider.control("webhook", url=f"{self.url}/payments/webhook/", secret=SECRET)

    def start(self, name: str, **environment: str) -> None:
        with (self.var / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, *self._command(name)],
                cwd=ROOT,
                env=self.environment | environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if name == "web":
            self._wait_until_it_answers()

    def kill(self, name: str) -> None:
        """End it, and its children, with SIGKILL."""
        self._end(name, signal.SIGKILL)

    def stop(self) -> None:
        for name in list(self._running):
            self._end(name, signal.SIGTERM)
        _wait_until_alone()

    def forget_claims(self) -> None:
        """At the gate: seats of earlier tests may have had the numbers of this one's."""
        for key in self._store.scan_iter("gate:*"):
            self._store.delete(key)

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end, and return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def mails(self) -> list[str]:
        return [path.read_text() for path in sorted((self.var / "mail").glob("*"))]

    def forget_mails(self) -> None:
        for path in (self.var / "mail").glob("*"):
            path.unlink()

    def _command(self, name: str) -> list[str]:
        match name:
            case "web":
                return [
                    *("-m", "granian", "--interface=wsgi", "--workers=1", "--blocking-threads=64"),
                    *(f"--port={self.port}", "--host=127.0.0.1", "ticketing.wsgi:application"),
                ]
            case "worker":
                return ["-m", "celery", "-A", "ticketing", "worker", "--pool=solo", "-l", "INFO"]
            case "beat":
                scheduler = "--scheduler=celery.beat:Scheduler"
                return ["-m", "celery", "-A", "ticketing", "beat", scheduler, "-l", "INFO"]
            case _:
                return ["manage.py", *name.split()]

    def _end(self, name: str, how: signal.Signals) -> None:
        process = self._running.pop(name)
        os.killpg(process.pid, how)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                if requests.get(f"{self.url}/livez", timeout=2).ok:
                    return
            except requests.ConnectionError:
                time.sleep(0.05)
        raise RuntimeError((self.var / "web.log").read_text()[-3000:])


def _wait_until_alone() -> None:
    """PostgreSQL takes a moment to see that a client is gone; its database is dropped next."""
    deadline = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            if not cursor.fetchone()[0]:
                return


@contextmanager
def running(var: Path, provider: LocalProvider, *names: str) -> Iterator[BoxOffice]:
    office = BoxOffice(var, provider)
    try:
        for name in names:
            office.start(name)
        yield office
    finally:
        office.stop()
