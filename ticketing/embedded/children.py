"""Processes that end when we do, whatever ends us."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from ticketing.embedded import leash, runtime
from ticketing.embedded.places import Identity

# A log that grew beyond this is set aside at the next start.
LOG_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Program:
    """What to run, as whom, and how it likes to be stopped."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    identity: Identity | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    # Seconds it gets to stop before it is killed.
    grace: float = 10
    cwd: Path = runtime.ROOT


@dataclass(slots=True)
class Child:
    program: Program
    process: subprocess.Popen[bytes]
    log: Path
    started_at: float = field(default_factory=time.monotonic)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def last_words(self, lines: int = 12) -> str:
        """The end of its log, for whoever has to find out what is wrong."""
        text = "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return f"{self.log} ends with:\n\n{text}"


class Family:
    """The children of one set, and the lock that says they are ours."""

    def __init__(self, name: str, *, patience: float = 20) -> None:
        self.name = name
        self._lock = runtime.claim(name, patience=patience)
        self._children: list[Child] = []
        leash_process = subprocess.Popen(
            [sys.executable, "-I", leash.__file__, str(runtime.VAR / "run" / f"{name}.json")],
            stdin=subprocess.PIPE,
            pass_fds=[self._lock],
            start_new_session=True,
        )
        self._leash, self._line = leash_process, cast(IO[bytes], leash_process.stdin)

    def start(self, program: Program) -> Child:
        log = runtime.VAR / "log" / self.name / f"{program.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
        who = program.identity
        with log.open("ab") as output:
            process = subprocess.Popen(
                program.command,
                env=dict(program.environment),
                cwd=program.cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
                user=who.uid if who else None,
                group=who.gid if who else None,
                extra_groups=[] if who else None,
            )
        child = Child(program, process, log)
        self._children.append(child)
        self._tell(f"+ {process.pid} {program.stop_signal.value} {program.grace}")
        return child

    def stop(self, child: Child) -> None:
        """Stop one child and whatever it started in its process group."""
        if child not in self._children:
            return
        if child.is_alive:
            child.process.send_signal(child.program.stop_signal)
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(child.program.grace)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()
        self._children.remove(child)
        self._tell(f"- {child.process.pid}")

    def close(self) -> None:
        """Stop every child, the youngest first, and let go of the lock. Again does nothing."""
        if self._lock < 0:
            return
        runtime.withdraw(self.name)
        for child in reversed(self._children):
            self.stop(child)
        with suppress(BrokenPipeError):
            self._line.close()
        self._leash.wait()
        os.close(self._lock)
        self._lock = -1

    def _tell(self, line: str) -> None:
        # Without its leash a child still ends with us, unless we are killed.
        with suppress(BrokenPipeError):
            self._line.write(f"{line}\n".encode())
            self._line.flush()
