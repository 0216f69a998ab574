"""A pytest plugin: PostgreSQL and Valkey for the tests, and a browser where there is one.

Loaded by `-p tests.services` before Django's settings are read, which is when the address of the
database has to be known. The services are a set of their own, `test`, beside a running demo's.
`DATABASE_URL` and `VALKEY_URL` in the environment replace them.
"""

import atexit
import os
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack

import pytest

from ticketing.embedded import EmbeddedError, runtime, services

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# As long as the slowest run may take: two runs share one cluster only one after the other.
PATIENCE = 600
NO_BROWSER = """\
{count} browser tests were left out: no Chromium was found.
Install one (Debian: apt-get install chromium; macOS: brew install --cask google-chrome)
or set CHROMIUM to the path of one, and run `make test` again."""

_left_out = pytest.StashKey[list[str]]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    options = early_config.known_args_namespace
    if not (options.help or options.version):
        stack = ExitStack()
        early_config.add_cleanup(stack.close)
        # pytest cleans up after Ctrl-C as well, but not when reading the settings fails.
        atexit.register(stack.close)
        os.environ.update(_start(stack))
    return (yield)


def _start(stack: ExitStack) -> dict[str, str]:
    deadline = time.monotonic() + PATIENCE
    told = False
    while True:
        try:
            return stack.enter_context(services.running("test", durable=False, patience=1))
        except runtime.Running as error:
            if time.monotonic() > deadline:
                raise pytest.UsageError(f"{error}, for {PATIENCE} s now: end that run.") from error
            if not told:
                sys.stderr.write("Another test run uses this folder's services: waiting for it.\n")
                told = True
            time.sleep(1)
        except EmbeddedError as error:
            raise pytest.UsageError(str(error)) from error


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_left_out] = []


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") is None or chromium() is not None:
        return
    if os.environ.get("CI"):
        pytest.fail(
            "no Chromium was found: in CI a browser test may not be left out", pytrace=False
        )
    item.config.stash[_left_out].append(item.nodeid)
    pytest.skip("no Chromium was found")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    left_out = terminalreporter.config.stash[_left_out]
    if left_out:
        terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
        terminalreporter.write_line(NO_BROWSER.format(count=len(left_out)), red=True)


def chromium() -> str | None:
    """The browser to drive: what CHROMIUM names, or the first one found on the PATH."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The path of a Chromium; a test that asks for it carries the marker `browser`."""
    path = chromium()
    assert path is not None, "mark this test with @pytest.mark.browser"
    return path
