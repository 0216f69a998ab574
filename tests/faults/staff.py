"""Web, relay and worker, each with wires of its own to PostgreSQL and to the provider."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models.functions import Now
from django.utils import timezone
from kombu import Connection

from bookings.models import Booking, BookingState, Mail
from bookings.services import mailing
from inventory.models import EventSeat, SeatState
from payments.models import Payment
from payments.services import reconciliation
from tests.box_office import BoxOffice
from tests.faults.steps import NAME, CallWire, CommitWire
from tests.faults.wire import PLAIN, Moment, Point, Wire
from ticketing import schedule
from ticketing.celery import app as celery
from ticketing.kernel.models import OutboxMessage

# Who makes steps, and what runs for it.
PROCESSES = {"web": "web", "relay": "ticker", "worker": "worker"}
# A fact that the making of the event tells.
ELSEWHERE = "inventory.event_opened]"
PATIENCE = 90
# How long a lease may seem to be waited for before time is made to pass.
IMPATIENCE = 2


class Step(NamedTuple):
    """A commit of one of them, or a call to the provider."""

    who: str
    name: str

    def __str__(self) -> str:
        return f"{self.who} {self.name}"


@dataclass(slots=True)
class Death:
    """Of a process, at a step; another one is started in its place."""

    point: Point | None = None
    problem: Exception | None = None

    def has_happened(self) -> bool:
        if self.problem:
            raise self.problem
        return self.point is not None and self.point.over.wait(timeout=PATIENCE)


class Staff:
    def __init__(self, office: BoxOffice, wires: dict[str, tuple[CommitWire, CallWire]]) -> None:
        self.office = office
        self._wires = wires

    def start(self, who: str) -> None:
        commits, calls = self._wires[who]
        through = {"DATABASE_URL": commits.url, "STRIPE_API_BASE": calls.url}
        self.office.start(PROCESSES[who], **through, **PLAIN)

    def listen(self) -> None:
        """Forget what was heard so far."""
        for wires in self._wires.values():
            for wire in wires:
                wire.heard.clear()

    def heard(self) -> list[Step]:
        """Every step of the saga since then, once, in order for each process."""
        return [
            Step(who, name)
            for who, wires in self._wires.items()
            for wire in wires
            for name in dict.fromkeys(NAME.findall(" ".join(wire.heard)))
            if not name.endswith(ELSEWHERE)
        ]

    def kill_at(self, step: Step, moment: Moment) -> Death:
        death = Death()

        def kill() -> None:
            try:
                self.office.kill(PROCESSES[step.who])
                self.start(step.who)
            except Exception as problem:
                death.problem = problem

        commits, calls = self._wires[step.who]
        wire: Wire = calls if "/v1/" in step.name else commits
        death.point = wire.strike_at(step.name, moment, kill)
        return death

    def finish(self) -> None:
        """Let time pass and beat ask for all that is due, until nothing is left to do."""
        deadline = time.monotonic() + PATIENCE
        passes = time.monotonic() + IMPATIENCE
        while is_anything_left():
            assert time.monotonic() < deadline, what_is_left()
            if time.monotonic() > passes:
                let_time_pass()
                self._sweep()
                passes = time.monotonic() + IMPATIENCE
            time.sleep(0.05)

    def _sweep(self) -> None:
        broker = self.office.environment["VALKEY_URL"].replace("valkey", "redis", 1)
        with Connection(broker) as connection:
            for entry in schedule.ENTRIES.values():
                celery.send_task(entry.task, queue=entry.queue, connection=connection)


def let_time_pass() -> None:
    """What waits for a dead process's lease, or for the next try, is due now."""
    now = timezone.now()
    OutboxMessage.objects.filter(done_at=None).update(available_at=now)
    Mail.objects.filter(sent_at=None).update(claimed_at=now - 2 * mailing.CLAIM)
    reconciliation.hasten(at=now)


def is_anything_left() -> bool:
    return any(what_is_left().values())


def what_is_left() -> dict[str, list[str]]:
    rows = {
        "facts": OutboxMessage.objects.filter(done_at=None),
        "payments": Payment.objects.exclude(next_check_at=None),
        "bookings": Booking.objects.filter(state=BookingState.PENDING),
        "mails": Mail.objects.filter(sent_at=None),
        "seats": EventSeat.objects.filter(state=SeatState.HELD, hold__expires_at__lte=Now()),
    }
    return {name: [str(row) for row in found] for name, found in rows.items()}


@contextmanager
def working(office: BoxOffice) -> Iterator[Staff]:
    there = office.environment
    with ExitStack() as stack:
        wires = {
            who: (
                stack.enter_context(CommitWire(there["DATABASE_URL"])),
                stack.enter_context(CallWire(there["STRIPE_API_BASE"])),
            )
            for who in PROCESSES
        }
        staff = Staff(office, wires)
        for who in PROCESSES:
            staff.start(who)
        yield staff
        # Before the wires that they ask through.
        office.stop()
