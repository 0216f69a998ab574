"""The local payment provider as tests use it: a real process, its control handles, a listener."""

import http.server
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import stripe

ROOT = Path(__file__).resolve().parents[1]
KEY = "sk_test_local"
SECRET = "whsec_test"
DECLINED = "4000000000000002"
NO_FUNDS = "4000000000009995"
NEEDS_3DS = "4000002500003155"


class LocalProvider:
    """One provider process; `kill` ends it with SIGKILL, `start` brings it back with its state."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "granian", "--interface", "asgi", "--workers", "1"]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--log-level", "warning"]
        self._process = subprocess.Popen(
            [*command, "ticketing.embedded.provider.app:app"],
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "PROVIDER_STATE": str(self.state),
                "PROVIDER_BASE_URL": self.base_url,
            },
            # The server has a worker process of its own: they live and die as one group.
            start_new_session=True,
        )
        self._wait_until_it_answers()

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def control(self, name: str, **wish: Any) -> dict[str, Any]:
        response = requests.post(f"{self.base_url}/_control/{name}", json=wish, timeout=10)
        return dict(response.json())

    def fault(self, mode: str, match: str = "", *, times: int = 1, seconds: float = 30) -> None:
        self.control("fault", mode=mode, match=match, times=times, seconds=seconds)

    def pay(self, session: str, card: str = "", *, capture_at_once: bool = False) -> dict[str, Any]:
        return self.control("pay", id=session, card=card, capture_at_once=capture_at_once)

    def client(self, *, read_timeout: float = 10) -> stripe.StripeClient:
        return stripe.StripeClient(
            KEY,
            base_addresses={"api": self.base_url},
            max_network_retries=0,
            http_client=stripe.RequestsClient(timeout=(3, read_timeout)),
        )

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, how)
            self._process.wait(timeout=15)
            self._process = None

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                requests.get(self.base_url, timeout=2)
            except requests.ConnectionError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError("the local provider did not start")


@dataclass(frozen=True)
class Listener:
    """Receives webhooks; answers with the statuses it is given, then with 200."""

    url: str
    statuses: list[int]
    received: queue.Queue[tuple[bytes, str]]

    def next_event(self, kind: str) -> stripe.Event:
        """Wait for the next delivery of this type; the signature is checked."""
        while True:
            body, signature = self.received.get(timeout=15)
            event: stripe.Event = stripe.Webhook.construct_event(body, signature, SECRET)
            if event.type == kind:
                return event

    def pending(self, kind: str) -> int:
        """How many deliveries of this type lie unread."""
        return sum(f'"type": "{kind}"'.encode() in body for body, _ in list(self.received.queue))


@contextmanager
def listening() -> Iterator[Listener]:
    heard: queue.Queue[tuple[bytes, str]] = queue.Queue()
    statuses: list[int] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.put((body, self.headers["Stripe-Signature"]))
            self.send_response(statuses.pop(0) if statuses else 200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield Listener(f"http://127.0.0.1:{server.server_port}/", statuses, heard)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def running(state: Path) -> Iterator[LocalProvider]:
    provider = LocalProvider(state)
    provider.start()
    try:
        yield provider
    finally:
        provider.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def provider_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalProvider]:
    with running(tmp_path_factory.mktemp("provider")) as provider:
        yield provider


@pytest.fixture
def provider(provider_process: LocalProvider) -> Iterator[LocalProvider]:
    """The provider of this test run, without faults and without an endpoint left by others."""
    provider_process.control("fault", mode="none")
    provider_process.control("webhook")
    yield provider_process
    provider_process.control("fault", mode="none")
    provider_process.control("webhook")


@pytest.fixture
def listener(provider: LocalProvider) -> Iterator[Listener]:
    """An endpoint that the provider tells everything."""
    with listening() as listener:
        provider.control("webhook", url=listener.url, secret=SECRET)
        yield listener
        provider.control("webhook")
