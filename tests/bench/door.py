"""Sending a crowd through the shop's door."""

import json
import subprocess
import sys
from dataclasses import asdict
from typing import IO, cast
from uuid import UUID

from django.urls import reverse

from events.models import Event
from tests.bench import buyers
from tests.bench.cpu import Meter
from tests.bench.crowd import Ask, Errand, Seen
from tests.bench.errors import BenchError
from tests.bench.office import Office
from tests.bench.turns import Turn
from ticketing.embedded import demo, runtime

NOBODY = UUID(int=0)


class Party:
    """A crowd on its way: a process of its own."""

    def __init__(self, errand: Errand | buyers.Errand) -> None:
        program = errand.__class__.__module__
        self._process = subprocess.Popen(
            [sys.executable, "-m", program],
            cwd=runtime.ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._line = cast(IO[str], self._process.stdin)
        self._line.write(json.dumps(asdict(errand)) + "\n")
        self._line.flush()

    def come_back(self) -> Seen:
        """Tell them that it is over, and hear what they saw."""
        told, said = self._process.communicate()
        if self._process.returncode:
            raise BenchError(f"the shop did not do its part; see also its log.\n{said}")
        return Seen(**json.loads(told))


def invite(
    office: Office,
    event: Event,
    asks: list[Ask],
    *,
    clients: int,
    may_be_refused: bool = False,
    per_second: float = 0,
) -> Party:
    """Send a crowd; with `per_second` it goes on until it is told to come back."""
    return Party(
        Errand(
            host=demo.HOST,
            port=office.port,
            connections=clients,
            action=reverse("bookings:place", args=[event.slug]),
            leads_to=reverse("bookings:hold", args=[NOBODY]).partition(str(NOBODY))[0],
            asks=asks,
            may_be_refused=may_be_refused,
            per_second=per_second,
            until_told=per_second > 0,
        )
    )


def send(
    office: Office, event: Event, asks: list[Ask], *, clients: int, may_be_refused: bool = False
) -> tuple[Seen, Turn]:
    """Let all of them ask: what they saw, and every answer as one operation."""
    meter = Meter(office.parts)
    party = invite(office, event, asks, clients=clients, may_be_refused=may_be_refused)
    seen = party.come_back()
    latencies = seen.won_ms + seen.refused_ms
    return seen, Turn(len(latencies), seen.seconds, latencies, meter.read())
