"""Keeps the processes of a set running until somebody asks them to stop."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from ticketing.embedded import EmbeddedError
from ticketing.embedded.children import Child, Family, Program

POLL = 0.2
# One that lives this many seconds had a bad moment; one that dies sooner has a reason.
STEADY = 60
TRIES = 5


class Interrupted(Exception):
    """Somebody pressed Ctrl-C, closed the terminal or asked us to end."""


@dataclass(slots=True)
class _Ward:
    program: Program
    child: Child | None
    quick_deaths: int = 0
    due: float = 0


class Supervisor:
    """Starts programs, starts again those that die, and hears signals only between steps.

    A signal does not raise wherever we happen to be: a child that was just born must not be lost.
    """

    def __init__(self, family: Family, say: Callable[[str], None]) -> None:
        self._family = family
        self._say = say
        self._asked = False
        self._wards: list[_Ward] = []
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True

    def adopt(self, child: Child) -> None:
        """Look after a child that somebody else has started."""
        self._wards.append(_Ward(child.program, child))

    def start(self, program: Program) -> Child:
        self.check()
        child = self._family.start(program)
        self.adopt(child)
        return child

    def run(self, program: Program) -> None:
        """Run to its end, or raise EmbeddedError with its last words."""
        child = self._family.start(program)
        self.wait(lambda: not child.is_alive)
        self._family.stop(child)
        if child.process.returncode:
            raise EmbeddedError(f"`{program.name}` failed. {child.last_words()}")

    def wait(self, condition: Callable[[], bool], *, within: float | None = None) -> bool:
        """Wait until it holds; False if it does not `within` so many seconds."""
        deadline = None if within is None else time.monotonic() + within
        while not condition():
            self.check()
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(POLL / 4)
        return True

    def watch(self) -> None:
        """Stay until asked to stop, or raise EmbeddedError when a program keeps dying."""
        while not self._asked:
            for ward in self._wards:
                self._look_after(ward)
            time.sleep(POLL)

    def check(self) -> None:
        if self._asked:
            raise Interrupted

    def _look_after(self, ward: _Ward) -> None:
        if ward.child is None:
            if time.monotonic() >= ward.due:
                ward.child = self._family.start(ward.program)
            return
        if ward.child.is_alive:
            return
        # Takes what is left of its process group along: the next one needs the same port.
        self._family.stop(ward.child)
        lived = time.monotonic() - ward.child.started_at
        ward.quick_deaths = ward.quick_deaths + 1 if lived < STEADY else 1
        if ward.quick_deaths >= TRIES:
            raise EmbeddedError(
                f"`{ward.program.name}` died {TRIES} times in a row. {ward.child.last_words()}"
            )
        pause = 2 ** (ward.quick_deaths - 1)
        self._say(
            f"! `{ward.program.name}` ended by itself ({_how(ward.child)}), "
            f"starting it again in {pause} s; see {ward.child.log}"
        )
        ward.child, ward.due = None, time.monotonic() + pause


def _how(child: Child) -> str:
    code = child.process.returncode
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
