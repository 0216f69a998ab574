"""Rivals for one thing at one moment: threads for crowds, processes where a crash of memory between
them must be ruled out. All wait at one gate, an advisory lock, and start when it opens.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection

GATE = 20_10_00


@dataclass
class Outcome:
    """What one rival got: a value, or the refusal it met."""

    value: object = None
    refusal: Exception | None = None


def race(attempts: list[Callable[[], object]]) -> list[Outcome]:
    """Let all attempts start at one moment, each in a thread with a connection of its own."""
    outcomes = [Outcome() for _ in attempts]
    start = threading.Barrier(len(attempts))

    def run(attempt: Callable[[], object], outcome: Outcome) -> None:
        connection.ensure_connection()
        start.wait()
        try:
            outcome.value = attempt()
        except Exception as refusal:
            outcome.refusal = refusal
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=pair) for pair in zip(attempts, outcomes, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


class Processes:
    """Rivals with a memory of their own: started when a race first needs so many, then kept."""

    def __init__(self) -> None:
        self._rivals: list[subprocess.Popen[str]] = []

    def race(self, calls: list[dict[str, object]]) -> list[str]:
        """Let as many processes make these calls at one moment.

        Each says "done" or the name of its refusal. A call is what `tests/races/rival.py`
        understands.
        """
        while len(self._rivals) < len(calls):
            self._rivals.append(self._start())
        pairs = list(zip(self._rivals, calls, strict=False))
        with _gate():
            for rival, call in pairs:
                _tell(rival, call)
            for rival, _ in pairs:
                assert _hear(rival) == "ready"
            _wait_for_queue(len(pairs))
        return [_hear(rival) for rival, _ in pairs]

    def stop(self) -> None:
        for rival in self._rivals:
            rival.communicate(timeout=60)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.races.rival"],
            env=os.environ | {"RIVAL_DATABASE": connection.settings_dict["NAME"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


def _tell(rival: subprocess.Popen[str], call: dict[str, object]) -> None:
    assert rival.stdin is not None
    rival.stdin.write(f"{json.dumps(call)}\n")
    rival.stdin.flush()


def _hear(rival: subprocess.Popen[str]) -> str:
    assert rival.stdout is not None
    return rival.stdout.readline().strip()


def wait_until_somebody_waits() -> None:
    """Return when a rival stands before a lock that another one has."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return


@contextmanager
def _gate():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [GATE])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [GATE])


def _wait_for_queue(rivals: int) -> None:
    """Return when every rival stands at the gate."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                " AND objid = %s",
                [GATE],
            )
            if cursor.fetchone()[0] == rivals:
                return
