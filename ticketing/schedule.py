"""What is done again and again, how often, and on which queue. The only such table.

A task that is not in it was asked for by a fact.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

# Mails and whatever else a fact asks for and takes its time.
DEFAULT_QUEUE = "facts"


@dataclass(frozen=True, slots=True)
class Entry:
    task: str
    every: timedelta
    queue: str


ENTRIES = {
    # Abandoned seats return to the map within a second of their lease. No sale waits for it: who
    # wants such a seat takes it over.
    "expire holds": Entry("inventory.expire_holds", timedelta(seconds=1), "expiry"),
    # A gate that was switched off or lost; until then its fans ask the database.
    "rebuild gates": Entry("inventory.rebuild_gates", timedelta(seconds=5), "expiry"),
    # A payment whose outcome nobody knows yet is asked about; each has a back-off of its own.
    "reconcile payments": Entry("payments.reconcile", timedelta(seconds=5), "money"),
    # Of an event that was cancelled, every booking is: so many at a time until none is left.
    "call events off": Entry("bookings.call_off", timedelta(seconds=5), "money"),
    # A booking whose hold and payments are over lapses; one without tickets gets them.
    "sweep bookings": Entry("bookings.sweep", timedelta(seconds=5), "money"),
}
QUEUES = sorted({DEFAULT_QUEUE, *(entry.queue for entry in ENTRIES.values())})


def for_beat() -> dict[str, dict[str, Any]]:
    """The table as Celery wants it."""
    return {
        name: {
            "task": entry.task,
            "schedule": entry.every,
            # When it is due again, an undone one is worthless: no pile awaits a worker that stood.
            "options": {"expires": entry.every.total_seconds()},
        }
        for name, entry in ENTRIES.items()
    }


def routes() -> dict[str, dict[str, str]]:
    """Where each task waits, as Celery wants it; all others wait on the default queue."""
    return {entry.task: {"queue": entry.queue} for entry in ENTRIES.values()}
