"""Everything a newcomer needs beside Python: PostgreSQL, Valkey and a payment provider, in `var/`.

A *set* is one collection of running services with data of its own: `demo`, `test`. Who starts a
set holds its lock; while the lock is held, `var/run/<set>.json` says how to reach the services.

Promises: nothing is installed on the system, no user is added, no folder of somebody else changes
its permissions. Services listen on loopback only, behind a generated password. Whatever ends the
owner of a set, even SIGKILL, ends its processes (`leash.py`), and nothing left lying about keeps
the next start from finding its data.

The servers refuse to run as root, or should. Started by root they run as an unprivileged user that
exists already (`postgres`, else `nobody`). Where that user cannot enter `var/`, the data goes to
`/var/lib/ticketing-<hash>` instead, and `var/<set>/elsewhere` remembers the place.
"""


class EmbeddedError(Exception):
    """Something keeps the services from running; the text says what, and what to do."""
