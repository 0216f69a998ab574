import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import psutil
import psycopg
import pytest
import redis

from ticketing.embedded import places, runtime, services

OWNER = """
from ticketing.embedded import services
with services.running("demo", keep=True) as found:
    print(found["DATABASE_URL"], flush=True)
    input()
"""


@contextmanager
def database():
    with (
        services.running("demo", keep=True) as found,
        psycopg.connect(found["DATABASE_URL"]) as connection,
    ):
        yield connection


def test_a_second_start_finds_the_data_of_the_first(own_var):
    with services.running("demo", keep=True) as found:
        with psycopg.connect(found["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS answer")
        with redis.Redis.from_url(found["VALKEY_URL"].replace("valkey", "redis", 1)) as valkey:
            valkey.set("kept", "yes")

    with services.running("demo", keep=True) as found:
        with psycopg.connect(found["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (1,)
        with redis.Redis.from_url(found["VALKEY_URL"].replace("valkey", "redis", 1)) as valkey:
            assert valkey.get("kept") == b"yes"


def test_the_end_leaves_no_process(own_var):
    before = set(psutil.Process().children(recursive=True))

    with services.running("demo"):
        started = set(psutil.Process().children(recursive=True)) - before
        names = {process.name() for process in started}

    assert {"postgres", "valkey-server"} <= names
    assert not [process for process in started if process.is_running()]


def test_servers_end_with_an_owner_that_is_killed_and_their_data_stays(own_var):
    with database() as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS answer")
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        cwd=runtime.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    owner.stdout.readline()
    started = psutil.Process(owner.pid).children(recursive=True)

    owner.send_signal(signal.SIGKILL)
    owner.communicate()

    # Whoever comes next waits for the old ones to be gone.
    with database() as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (1,)
        assert not [p for p in started if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def test_a_stale_pid_file_with_the_number_of_a_stranger_blocks_nothing(own_var):
    with database():
        pass
    stranger = subprocess.Popen(["/bin/sleep", "60"])
    (own_var / "demo" / "postgres" / "postmaster.pid").write_text(f"{stranger.pid}\n")

    with database() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)

    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_first_start_that_was_cut_off_is_begun_anew(own_var):
    half = own_var / "demo" / "postgres.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18")

    with database() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_services_that_the_environment_names_are_not_started(own_var, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://elsewhere/tickets")
    monkeypatch.setenv("VALKEY_URL", "valkey://elsewhere:6379/0")

    with services.running("demo") as found:
        assert found == {
            "DATABASE_URL": "postgres://elsewhere/tickets",
            "VALKEY_URL": "valkey://elsewhere:6379/0",
        }
        assert not (own_var / "demo").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down to another user")
def test_data_and_programs_go_where_the_servers_can_reach_them(own_var, monkeypatch):
    real = places.Identity.may_enter
    hidden = (own_var, runtime.ROOT)
    monkeypatch.setattr(
        places.Identity,
        "may_enter",
        lambda self, path: not any(map(path.is_relative_to, hidden)) and real(self, path),
    )
    own_var.chmod(0o700)

    with database() as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS answer")
    with database() as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (1,)

    place = places.home("demo").path
    assert not place.is_relative_to(own_var)
    assert (place / "postgres").stat().st_mode & 0o777 == 0o700
    assert own_var.stat().st_mode & 0o777 == 0o700
