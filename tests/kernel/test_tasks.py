import socket

import pytest
from kombu.exceptions import OperationalError

from ticketing.celery import app
from ticketing.kernel import tasks


def test_a_broker_that_answers_nothing_is_not_waited_for_for_ever():
    """The relay sends work away between handlers that need no broker at all."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"

        with app.connection_for_write(address) as broker, pytest.raises(OperationalError):
            tasks.run_handler.apply_async(
                kwargs={"message_id": 1, "handler": "any"},
                connection=broker,  # type: ignore[call-arg]
            )
