"""The real command, as a process of its own."""

import http.client
import os
import re
import signal
import socket
import subprocess
from contextlib import closing, contextmanager

import psutil
import psycopg
import pytest

from ticketing.embedded import runtime


@contextmanager
def demo(manage, *arguments):
    """Run it until it says where it serves; yield the process and the port."""
    command, environment = manage
    process = subprocess.Popen(
        [*command, "demo", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    assert process.stdout is not None
    said = ""
    try:
        for line in process.stdout:
            said += line
            if "Ctrl-C stops everything" in line:
                break
        found = re.search(r"running at  http://127\.0\.0\.1:(\d+)", said)
        assert found, said
        yield process, int(found[1])
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def runs(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def status(port, path):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def answers(port):
    try:
        return status(port, "/livez") == 200
    except OSError:
        return False


@pytest.mark.parametrize("name", ["migrate", "runserver", "audit"])
def test_without_services_a_command_says_what_to_do(manage, name):
    command, environment = manage

    answer = subprocess.run(
        [*command, name], env=environment, capture_output=True, text=True, check=False
    )

    assert answer.returncode == 1
    assert "No database is running: start `make demo`" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_port_in_use_is_named_and_nothing_is_started(manage):
    command, environment = manage
    with socket.create_server(("127.0.0.1", 0)) as rival:
        port = rival.getsockname()[1]

        answer = subprocess.run(
            [*command, "demo", f"--port={port}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    assert answer.returncode == 1
    assert f"Port {port} is in use" in answer.stderr
    assert runtime.environment("demo") == {}


def test_a_second_demo_says_where_the_first_one_is(manage):
    command, environment = manage
    lock = runtime.claim("demo", patience=0)
    runtime.publish("demo", {"BASE_URL": "http://127.0.0.1:8123"})

    answer = subprocess.run(
        [*command, "demo"], env=environment, capture_output=True, text=True, check=False
    )

    assert "already running at http://127.0.0.1:8123" in answer.stdout
    os.close(lock)


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_every_process(manage, number):
    with demo(manage, "--port=0") as (process, port):
        assert status(port, "/livez") == status(port, "/readyz") == 200
        children = psutil.Process(process.pid).children(recursive=True)

        process.send_signal(number)

        assert process.wait() == 0
        assert not list(filter(runs, children))


@pytest.mark.deep
def test_after_a_kill_the_next_start_finds_everything(manage):
    with demo(manage, "--port=0") as (process, _port):
        children = psutil.Process(process.pid).children(recursive=True)
        with psycopg.connect(runtime.environment("demo")["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS answer")

        process.kill()

    with (
        demo(manage, "--port=0"),
        psycopg.connect(runtime.environment("demo")["DATABASE_URL"]) as connection,
    ):
        assert connection.execute("SELECT answer FROM kept").fetchone() == (1,)
        assert not list(filter(runs, children))


@pytest.mark.deep
def test_a_web_process_that_is_killed_is_started_again(manage):
    with demo(manage, "--port=0") as (process, port):
        web = next(
            child
            for child in psutil.Process(process.pid).children()
            if "ticketing.wsgi:application" in child.cmdline()
        )

        web.kill()

        assert "`web` ended by itself (SIGKILL)" in process.stdout.readline()
        while not answers(port):
            assert process.poll() is None
