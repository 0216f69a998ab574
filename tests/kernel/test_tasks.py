import socket

import pytest
from kombu.exceptions import OperationalError

from ticketing.celery import app
from ticketing.kernel import outbox, tasks


def test_a_broker_that_answers_nothing_is_not_waited_for_for_ever():
    """The relay sends work away between handlers that need no broker at all."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"

        with app.connection_for_write(address) as broker, pytest.raises(OperationalError):
            tasks.run_handlers.apply_async(
                kwargs={"message_ids": [1], "handler": "any"},
                connection=broker,  # type: ignore[call-arg]
            )


def test_a_worker_leaves_what_its_lease_does_not_reach(monkeypatch):
    """One slow mail after the other shall not run into the next telling of the same facts."""
    ran, clock = [], iter([0, 1, outbox.LEASE.total_seconds()])

    monkeypatch.setattr("ticketing.kernel.tasks.time.monotonic", lambda: next(clock))
    monkeypatch.setattr(outbox, "run_slow", lambda message_id, **_: ran.append(message_id))

    tasks.run_handlers(message_ids=[1, 2, 3], handler="any")

    assert ran == [1]
