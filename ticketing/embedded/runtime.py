"""Where the running services are: one file a set of services, under `var/run/`."""

import fcntl
import json
import os
import time
from pathlib import Path

from ticketing.embedded import EmbeddedError

ROOT = Path(__file__).resolve().parents[2]
# A test, or whoever wants two demos beside each other, puts the data elsewhere.
VAR = Path(os.environ.get("VAR_DIR") or ROOT / "var").resolve()
# A reader holds the lock for a moment as well: who wants it asks more often than this.
READERS = 3


class Running(EmbeddedError):
    """Another runs this set; `environment` leads to it, or is empty while it starts or stops."""

    def __init__(self, name: str) -> None:
        self.environment = environment(name)
        super().__init__(f"the services `{name}` are already running")


def environment(name: str) -> dict[str, str]:
    """The variables that lead to the services called `name`; empty when none is running."""
    try:
        with _lock_file(name).open() as lock:
            # What a crash left behind belongs to nobody: then the lock is to be had.
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(name)
    except OSError:
        return {}
    return {}


def claim(name: str, *, patience: float) -> int:
    """Become the one who runs `name`, and return the lock's descriptor, or raise Running.

    Waits up to `patience` seconds for another to be gone, but not for one that serves already.
    """
    run = _lock_file(name).parent
    try:
        run.mkdir(parents=True, exist_ok=True)
        lock = os.open(_lock_file(name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except PermissionError as error:
        raise EmbeddedError(
            f"You may not write in {run}: another user started it before. "
            "Use that user, or set VAR_DIR to a folder of your own."
        ) from error
    deadline = time.monotonic() + patience
    tries = 0
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tries += 1
            if tries > READERS and (_read(name) or time.monotonic() > deadline):
                os.close(lock)
                raise Running(name) from None
            time.sleep(0.1)
        else:
            withdraw(name)
            return lock


def publish(name: str, values: dict[str, str]) -> None:
    """Tell this user's other commands where the services are; nobody else may read it."""
    target = _run_file(name)
    draft = target.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(values, file, indent=2)
    draft.replace(target)


def withdraw(name: str) -> None:
    _run_file(name).unlink(missing_ok=True)


def _read(name: str) -> dict[str, str]:
    try:
        return dict(json.loads(_run_file(name).read_text()))
    except (FileNotFoundError, PermissionError, json.JSONDecodeError):
        return {}


def _run_file(name: str) -> Path:
    return VAR / "run" / f"{name}.json"


def _lock_file(name: str) -> Path:
    return VAR / "run" / f"{name}.lock"
