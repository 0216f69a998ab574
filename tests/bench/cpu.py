"""CPU seconds of processes, as the kernel counts them."""

import os
import resource
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


class Meter:
    """What each part, named with the process it began with, used since the meter was made.

    `generator` is what our own children used that have ended meanwhile: the load.
    """

    def __init__(self, parts: Mapping[str, int]) -> None:
        self._parts = parts
        self._before = self._now()

    def read(self) -> dict[str, float]:
        now = self._now()
        return {part: now[part] - self._before[part] for part in now}

    def _now(self) -> dict[str, float]:
        children = _children()
        used = {part: _tree(pid, children) for part, pid in self._parts.items()}
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used | {"generator": ended.ru_utime + ended.ru_stime}


def _tree(pid: int, children: Mapping[int, list[int]]) -> float:
    """Of a process, its living descendants, and those that any of them has seen end."""
    # utime, stime and, of those that ended, cutime and cstime.
    own = sum(int(ticks) for ticks in _stat(pid)[11:15]) / TICK
    return own + sum(_tree(child, children) for child in children[pid])


def _children() -> dict[int, list[int]]:
    found = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _stat(int(folder.name))
        if fields:
            found[int(fields[1])].append(int(folder.name))
    return found


def _stat(pid: int) -> list[str]:
    """The fields after the name, which may hold spaces; none if the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
