"""Ends the children of an owner that was killed before it could do so itself.

Runs as a process of its own, as a plain script, and reads from the owner, a line each:
`+ GROUP SIGNAL GRACE` for a child that started, `- GROUP` for one that is gone. The pipe closes
when the owner ends, however it ends: what is still on the list is stopped, the youngest first.
It holds the lock of the set meanwhile, so that the next owner waits until all is quiet.
"""

import os
import signal
import sys
import time
from contextlib import suppress


def main(run_file: str) -> None:
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    children: dict[int, tuple[int, float]] = {}
    for line in sys.stdin:
        sign, group, *how = line.split()
        if sign == "+":
            children[int(group)] = (int(how[0]), float(how[1]))
        else:
            children.pop(int(group), None)
    if children:
        with suppress(OSError):
            os.unlink(run_file)  # noqa: PTH108
    for group in reversed(children):
        end(group, *children[group])


def end(group: int, stop_signal: int, grace: float) -> None:
    """Stop a process group: kindly first, then not."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, stop_signal)
        deadline = time.monotonic() + grace
        while time.monotonic() < deadline and is_alive(group):
            time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Whether it still runs; a dead orphan stays listed where init collects none."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as status:  # noqa: PTH123
            return not status.read().rpartition(")")[2].startswith(" Z")
    except ProcessLookupError:
        return False
    except OSError:
        # Somebody else's, or a system without /proc.
        return True


if __name__ == "__main__":
    main(sys.argv[1])
