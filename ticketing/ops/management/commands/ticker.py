import logging
import signal
import threading
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import close_old_connections

from inventory import sweeping
from ticketing import schedule
from ticketing.kernel import loadboard, outbox, tasks

log = logging.getLogger(__name__)

AFTER_FAILURE_SECONDS = 1


class Command(BaseCommand):
    _sweep_is_late = False
    help = "Runs the sub-second loop: the outbox relay. Any number may run."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--every", type=int, default=150, help="milliseconds between ticks (%(default)s)"
        )
        parser.add_argument("--batch", type=int, default=100, help="facts claimed at one time")

    def handle(self, *_: Any, every: int, batch: int, **__: Any) -> None:
        stopped = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())
        self.stdout.write("ticking")
        while not stopped.is_set():
            began = time.monotonic()
            pause = every / 1000 if self._tick(batch) else AFTER_FAILURE_SECONDS
            stopped.wait(max(0.0, pause - (time.monotonic() - began)))

    def _tick(self, batch: int) -> bool:
        """Tell what waits; False if that failed."""
        close_old_connections()
        try:
            while outbox.relay(limit=batch, dispatch=tasks.dispatch) == batch:
                pass
            loadboard.write("outbox.lag_s", outbox.lag().total_seconds())
            self._watch_the_sweep()
        except Exception as error:
            # The database or the broker is away: say so, and try again at the next tick.
            self.stderr.write(f"tick failed: {type(error).__name__}: {error}")
            return False
        return True

    def _watch_the_sweep(self) -> None:
        """Say once that it is late, and once that it is not any more."""
        late = sweeping.is_late(period=schedule.ENTRIES["expire holds"].every.total_seconds())
        if late != self._sweep_is_late:
            self._sweep_is_late = late
            if late:
                log.error("lapsed holds are not swept: look after the worker of queue `expiry`")
            else:
                log.info("lapsed holds are swept again")
