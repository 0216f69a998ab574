"""The processes of a whole box office on one machine."""

import hashlib
import os
import socket
import sys
from collections.abc import Mapping

from ticketing.embedded import EmbeddedError, runtime
from ticketing.embedded.children import Program
from ticketing.embedded.places import free_port, home

NAME = "demo"
HOST = "127.0.0.1"
PORT = 8000
# How far to look for a free port when nobody named one.
PORTS = range(PORT, PORT + 20)
# What the local provider goes by; the real one would refuse it.
LOCAL_KEY = "sk_test_local"


class PortTaken(EmbeddedError):
    def __init__(self, port: int) -> None:
        super().__init__(
            f"Port {port} is in use by another program. "
            f"End that program, or name another port: make demo PORT={port + 1}"
        )


def choose_port(wanted: int | None) -> int:
    """The port that was named, or raise PortTaken; the next free one if none was named."""
    if wanted == 0:
        return free_port()
    if wanted is not None:
        if not _is_free(wanted):
            raise PortTaken(wanted)
        return wanted
    for port in PORTS:
        if _is_free(port):
            return port
    raise PortTaken(PORT)


def addresses(port: int) -> dict[str, str]:
    """The variables that say where the site and its payment provider are."""
    given = os.environ.get
    values = {"BASE_URL": given("BASE_URL") or f"http://{HOST}:{port}"}
    if given("STRIPE_SECRET_KEY") or given("STRIPE_API_BASE"):
        names = ("STRIPE_SECRET_KEY", "STRIPE_API_BASE", "STRIPE_WEBHOOK_SECRET")
        return values | {name: os.environ[name] for name in names if given(name)}
    # A neighbouring port: links to open payments stay good from one start to the next.
    neighbour = port + 1 if _is_free(port + 1) else free_port()
    secret = hashlib.sha256(f"webhook {home(NAME).password()}".encode()).hexdigest()
    return values | {
        "STRIPE_API_BASE": f"http://{HOST}:{neighbour}",
        "STRIPE_SECRET_KEY": LOCAL_KEY,
        "STRIPE_WEBHOOK_SECRET": given("STRIPE_WEBHOOK_SECRET") or f"whsec_{secret}",
    }


def _is_local(values: Mapping[str, str]) -> bool:
    return values["STRIPE_SECRET_KEY"] == LOCAL_KEY and "STRIPE_API_BASE" not in os.environ


def manage(*arguments: str, values: Mapping[str, str]) -> Program:
    """One management command, named by its first word."""
    command = [sys.executable, str(runtime.ROOT / "manage.py"), *arguments]
    return Program(name=arguments[0], command=command, environment=environment(values))


def programs(port: int, values: Mapping[str, str]) -> tuple[list[Program], list[Program]]:
    """What runs as long as the demo does: what fans talk to, the web first, and what is behind."""
    env = environment(values)
    front = [
        Program("web", [*_granian("wsgi", port, workers=2), "ticketing.wsgi:application"], env)
    ]
    if _is_local(values):
        front.append(_provider(values))
    behind = [
        Program("worker", [*_worker("worker"), "--queues=facts", "--concurrency=2"], env),
        # One of its own: no sweep waits behind a thousand mails.
        Program("sweeper", [*_worker("sweeper"), "--queues=expiry,money", "--pool=solo"], env),
        # The whole table is in code: there is nothing to remember between two runs.
        Program("beat", [*_celery("beat"), "--scheduler=celery.beat:Scheduler"], env),
        manage("ticker", values=values),
    ]
    return front, behind


def environment(values: Mapping[str, str]) -> dict[str, str]:
    return {
        **os.environ,
        **values,
        "DJANGO_SETTINGS_MODULE": "ticketing.settings.local",
        "PYTHONUNBUFFERED": "1",
    }


def _provider(values: Mapping[str, str]) -> Program:
    port = int(values["STRIPE_API_BASE"].rpartition(":")[2])
    return Program(
        "provider",
        [*_granian("asgi", port, workers=1), "ticketing.embedded.provider.app:app"],
        environment(values)
        | {
            "PROVIDER_STATE": str(runtime.VAR / "provider"),
            "PROVIDER_BASE_URL": values["STRIPE_API_BASE"],
            "PROVIDER_WEBHOOK_URL": f"{values['BASE_URL']}/payments/webhook/",
            "PROVIDER_WEBHOOK_SECRET": values["STRIPE_WEBHOOK_SECRET"].split(",")[0],
        },
    )


def _granian(interface: str, port: int, *, workers: int) -> list[str]:
    threads = ["--blocking-threads=64"] if interface == "wsgi" else []
    return [
        *(sys.executable, "-m", "granian", f"--interface={interface}"),
        *(f"--host={HOST}", f"--port={port}", f"--workers={workers}", *threads),
        # One worker that is killed does not take the others along.
        "--respawn-failed-workers",
    ]


def _worker(name: str) -> list[str]:
    return [*_celery("worker"), f"--hostname={name}@%h", "--without-mingle"]


def _celery(what: str) -> list[str]:
    return [sys.executable, "-m", "celery", "-A", "ticketing", what, "--loglevel=WARNING"]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server itself binds: connections that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
