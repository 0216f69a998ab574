"""Workers that end lapsed holds when they are told to: `python -m tests.bench.sweepers NUMBER`.

Each is a process that does what a worker's sweep does, begun before so that nobody waits for
imports. A line on the standard input lets all of them go; each writes how many holds it ended.
"""

import os
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from inventory.services import holds  # noqa: E402


def main(number: int) -> None:
    gates = []
    workers = []
    for _ in range(number):
        waits, opens = os.pipe()
        gates.append(opens)
        workers.append(os.fork())
        if not workers[-1]:
            _work(waits)
    sys.stdin.readline()
    for gate in gates:
        os.write(gate, b"!")
    failed = [pid for pid in workers if os.waitpid(pid, 0)[1]]
    sys.exit(f"{len(failed)} workers failed" if failed else 0)


def _work(waits: int) -> None:
    connection.ensure_connection()
    os.write(sys.stdout.fileno(), b"ready\n")
    os.read(waits, 1)
    ended = holds.expire_all(batch=settings.EXPIRY_BATCH)
    os.write(sys.stdout.fileno(), f"{ended}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
