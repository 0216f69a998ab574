"""20,000 lapsed holds of two seats are ended by one worker and by four, while fans hold others.

The fans come so many a second, however fast the shop is; their latencies are what is shown, and
against those of fans whom no sweep disturbs.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from statistics import median
from typing import IO, cast

from django.utils import timezone

from inventory.models import Hold, HoldState
from tests.bench import door, hall
from tests.bench.cpu import Meter
from tests.bench.errors import BenchError
from tests.bench.hall import Hall
from tests.bench.office import Office
from tests.bench.turns import P95, Figure, Turn, figure, ratio
from ticketing.embedded import demo, runtime

LAPSED = 20_000
# A steady sale beside it; for so long, if nobody says that it is over.
PER_SECOND, AT_MOST = 40, 60
CLIENTS = 8
WORKERS = (1, 4)
RUNS = 5
# Without a sweep.
ALONE_SECONDS = 5


def measure(office: Office) -> Iterator[Figure]:
    house = hall.opened(seats=2 * (LAPSED + PER_SECOND * AT_MOST + 100))
    alone: list[Turn] = []
    swept: dict[int, list[Turn]] = {workers: [] for workers in WORKERS}
    for _ in range(RUNS):
        alone.append(_steady(office, house))
        for workers in WORKERS:
            swept[workers].append(_sweep(office, house, workers))
    yield figure("expiry.steady", alone)
    for workers, turns in swept.items():
        found = figure(
            f"expiry.20k.w{workers}",
            turns,
            of="expiry.steady",
            by=P95,
            ratio=ratio(turns, alone, P95),
        )
        yield replace(found, value=median(turn.seconds for turn in turns), unit="s")


def _steady(office: Office, house: Hall) -> Turn:
    hall.set_free(office)
    meter = Meter(office.parts)
    party = _fans(office, house)
    time.sleep(ALONE_SECONDS)
    seen = party.come_back()
    return Turn(len(seen.won_ms), seen.seconds, seen.won_ms, meter.read())


def _sweep(office: Office, house: Hall, workers: int) -> Turn:
    hall.set_free(office)
    hall.take(office, house, pairs=LAPSED, since=timezone.now() - timedelta(hours=1))
    sweepers = _Sweepers(office, workers)
    party = _fans(office, house)
    meter = Meter(office.parts)
    seconds = sweepers.sweep()
    cpu, seen = meter.read(), party.come_back()
    left = Hold.objects.filter(state=HoldState.ACTIVE, expires_at__lte=timezone.now()).count()
    if left:
        raise BenchError(f"{left} lapsed holds were not ended")
    return Turn(LAPSED, seconds, seen.won_ms, cpu)


def _fans(office: Office, house: Hall) -> door.Party:
    asks = house.spread(PER_SECOND * AT_MOST, beyond=LAPSED)
    return door.invite(office, house.event, asks, clients=CLIENTS, per_second=PER_SECOND)


class _Sweepers:
    """Workers that wait for the word."""

    def __init__(self, office: Office, number: int) -> None:
        self._number = number
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.sweepers", str(number)],
            cwd=runtime.ROOT,
            env=demo.environment(office.values),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        out = cast(IO[str], self._process.stdout)
        for _ in range(number):
            if out.readline() != "ready\n":
                raise BenchError("a worker did not get ready")

    def sweep(self) -> float:
        """Let them go; the seconds until the last of them found nothing more."""
        began = time.perf_counter()
        said, _ = self._process.communicate("go\n")
        seconds = time.perf_counter() - began
        ended = sum(int(line) for line in said.split())
        if self._process.returncode or ended != LAPSED:
            raise BenchError(f"{self._number} workers ended {ended} of {LAPSED} holds")
        return seconds
