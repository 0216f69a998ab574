import os
import signal
import sys

import pytest

from ticketing.embedded import EmbeddedError, supervisor
from ticketing.embedded.children import Family, Program
from ticketing.embedded.supervisor import Interrupted, Supervisor


@pytest.fixture
def family(own_var):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    family = Family("demo", patience=0)
    yield family
    family.close()
    for number, handler in before.items():
        signal.signal(number, handler)


def python(name, code):
    return Program(name, [sys.executable, "-c", code], dict(os.environ))


def test_a_program_that_keeps_dying_ends_it_all_with_its_last_words(family, monkeypatch):
    monkeypatch.setattr(supervisor, "TRIES", 2)
    told: list[str] = []
    boss = Supervisor(family, told.append)
    boss.start(python("moody", "raise SystemExit('I had a reason')"))

    with pytest.raises(EmbeddedError, match="I had a reason"):
        boss.watch()

    assert "`moody` ended by itself (exit code 1)" in told[0]


def test_a_signal_is_heard_between_two_steps(family):
    boss = Supervisor(family, print)
    signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Interrupted):
        boss.start(python("late", "input()"))


def test_a_child_that_will_not_listen_is_killed(family):
    deaf = Program(
        "deaf",
        [
            sys.executable,
            "-uc",
            "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf'); "
            "signal.pause()",
        ],
        dict(os.environ),
        grace=0.1,
    )
    child = family.start(deaf)
    Supervisor(family, print).wait(lambda: "deaf" in child.log.read_text(), within=20)

    family.stop(child)

    assert child.process.returncode == -signal.SIGKILL
