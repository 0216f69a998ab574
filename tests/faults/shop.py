"""A web process that asks PostgreSQL and Valkey through wires, to be killed where a test says."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import requests

from tests.box_office import BoxOffice
from tests.faults.wire import PLAIN, Moment, PostgresWire, ValkeyWire, Wire


@dataclass(frozen=True, slots=True)
class Shop:
    office: BoxOffice
    postgres: PostgresWire
    valkey: ValkeyWire

    def start(self, name: str = "web", **environment: str) -> None:
        through = {"DATABASE_URL": self.postgres.url, "VALKEY_URL": self.valkey.url}
        self.office.start(name, **through, **PLAIN, **environment)

    def killed_at(
        self, wire: Wire, text: str, moment: Moment, ask: Callable[[], requests.Response]
    ) -> None:
        """Kill the web process on the way to the answer, and start another one."""
        point = wire.strike_at(text, moment, lambda: self.office.kill("web"))
        with pytest.raises(requests.ConnectionError):
            ask()
        assert point.over.wait(timeout=30)
        self.start()
