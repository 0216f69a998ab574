"""What the provider knows, in one SQLite file that survives the death of the process."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ticketing.embedded.provider import wire
from ticketing.embedded.provider.wire import Json, ProviderError

SCHEMA = """
create table if not exists objects (
    seq integer primary key autoincrement, id text not null unique, kind text not null,
    created integer not null, body text not null
);
create index if not exists objects_by_kind on objects (kind, seq);
create index if not exists objects_by_intent
    on objects (json_extract(body, '$.payment_intent')) where kind in ('charge', 'refund');
create table if not exists answers (
    key text primary key, fingerprint text not null, status integer not null,
    body blob not null, created integer not null
);
create table if not exists deliveries (
    seq integer primary key autoincrement, event text not null, attempts integer not null default 0,
    due real not null, done integer not null default 0
);
create index if not exists deliveries_open on deliveries (due) where done = 0;
create table if not exists faults (
    seq integer primary key autoincrement, match text not null, mode text not null,
    times integer not null, seconds real not null
);
create table if not exists endpoint (
    one integer primary key check (one = 1), url text not null, secret text not null
);
"""
# Idempotency keys die after a day, as the real provider's do.
KEY_LIFE = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said the first time, under which wish."""

    fingerprint: str
    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event still to be told."""

    seq: int
    event: Json
    attempts: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class Fault:
    mode: str
    seconds: float


class Store:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(folder / "provider.sqlite3", isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        # The write-ahead log is enough for a killed process; a pulled plug may cost a test payment.
        self._db.execute("pragma synchronous = normal")
        self._db.execute("pragma busy_timeout = 5000")
        self._db.executescript(SCHEMA)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what the block writes, or none."""
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")

    def put(self, thing: Json) -> Json:
        """Write an object, new or changed; its place in lists is that of its first writing."""
        self._db.execute(
            "insert into objects (id, kind, created, body) values (?, ?, ?, ?) "
            "on conflict (id) do update set body = excluded.body",
            (thing["id"], thing["object"], thing["created"], json.dumps(thing)),
        )
        return thing

    def forget(self, identity: str) -> None:
        self._db.execute("delete from objects where id = ?", (identity,))

    def find(self, identity: str) -> Json | None:
        row = self._db.execute("select body from objects where id = ?", (identity,)).fetchone()
        return dict(json.loads(row[0])) if row else None

    def get(self, kind: str, identity: str) -> Json:
        """The object, or the provider's "no such …"."""
        found = self.find(identity)
        if found is None or found["object"] != kind:
            raise ProviderError(
                404,
                f"No such {kind.replace('.', '_')}: '{identity}'",
                code="resource_missing",
                param="id",
            )
        return found

    def newest(
        self,
        kind: str,
        *,
        where: dict[str, str] | None = None,
        created: dict[str, int] | None = None,
        after: str | None = None,
        before: str | None = None,
        limit: int = -1,
    ) -> list[Json]:
        """Objects of a kind, newest first; `where` names JSON paths, `after` and `before` ids."""
        conditions = ["kind = ?"]
        arguments: list[Any] = [kind]
        for path, value in (where or {}).items():
            # The one path with an index has to be written out for SQLite to see it.
            if path == "payment_intent":
                conditions.append("json_extract(body, '$.payment_intent') = ?")
                arguments.append(value)
            else:
                conditions.append("json_extract(body, ?) = ?")
                arguments += [f"$.{path}", value]
        for operator, moment in (created or {}).items():
            conditions.append(f"created {operator} ?")
            arguments.append(moment)
        for operator, cursor in (("<", after), (">", before)):
            if cursor:
                conditions.append(f"seq {operator} (select seq from objects where id = ?)")  # noqa: S608
                arguments.append(cursor)
        rows = self._db.execute(
            # Only the placeholders vary: every value is bound.
            f"select body from objects where {' and '.join(conditions)} "  # noqa: S608
            "order by seq desc limit ?",
            [*arguments, limit],
        )
        return [json.loads(row[0]) for row in rows]

    def answer_to(self, key: str) -> Answer | None:
        row = self._db.execute(
            "select fingerprint, status, body from answers where key = ? and created > ?",
            (key, wire.now() - KEY_LIFE),
        ).fetchone()
        return Answer(*row) if row else None

    def remember(self, key: str, answer: Answer) -> None:
        self._db.execute(
            "insert or replace into answers values (?, ?, ?, ?, ?)",
            (key, answer.fingerprint, answer.status, answer.body, wire.now()),
        )

    def owe(self, event_id: str, *, due: float) -> None:
        self._db.execute("insert into deliveries (event, due) values (?, ?)", (event_id, due))

    def owed(self, at: float, *, limit: int) -> list[Delivery]:
        rows = self._db.execute(
            "select d.seq, o.body, d.attempts from deliveries d join objects o on o.id = d.event "
            "where d.done = 0 and d.due <= ? order by d.seq limit ?",
            (at, limit),
        )
        return [Delivery(seq, json.loads(body), attempts) for seq, body, attempts in rows]

    def told(self, seq: int) -> None:
        self._db.execute("update deliveries set done = 1 where seq = ?", (seq,))

    def postpone(self, seq: int, *, due: float) -> None:
        self._db.execute(
            "update deliveries set attempts = attempts + 1, due = ? where seq = ?", (due, seq)
        )

    def endpoint(self) -> Endpoint | None:
        row = self._db.execute("select url, secret from endpoint").fetchone()
        return Endpoint(*row) if row else None

    def tell(self, endpoint: Endpoint | None) -> None:
        """Send webhooks there from now on; None sends none."""
        self._db.execute("delete from endpoint")
        if endpoint:
            self._db.execute(
                "insert into endpoint values (1, ?, ?)", (endpoint.url, endpoint.secret)
            )

    def plan_fault(self, *, match: str, mode: str, times: int, seconds: float) -> None:
        self._db.execute(
            "insert into faults (match, mode, times, seconds) values (?, ?, ?, ?)",
            (match, mode, times, seconds),
        )

    def forget_faults(self) -> None:
        self._db.execute("delete from faults")

    def take_fault(self, subject: str, modes: frozenset[str]) -> Fault | None:
        """The oldest fault planned for this, counted down by one."""
        rows = self._db.execute(
            "select seq, match, mode, seconds from faults where times > 0 order by seq"
        ).fetchall()
        for seq, match, mode, seconds in rows:
            if mode in modes and re.search(match, subject):
                self._db.execute("update faults set times = times - 1 where seq = ?", (seq,))
                return Fault(mode, seconds)
        return None
