"""Each moment at which a process makes something true: a commit, or a call to the provider.

A wire names them, by what is written and by what is asked, so that a test can list them all, tell
a new one from those it knows, and strike at any of them.
"""

import io
import re
from collections.abc import Iterator
from typing import BinaryIO

import psycopg

from tests.faults.wire import HttpWire, PostgresWire

NAME = re.compile(r"\[(?:insert|update|delete|GET|POST) [^]]+\]")
VERBS = {"INSERT INTO": "insert", "DELETE FROM": "delete", "UPDATE": "update"}
WRITE = re.compile(
    r"(INSERT INTO|DELETE FROM|(?<!FOR )(?<!KEY )(?<!DO )UPDATE)\s+"
    r'"?([a-z_]+)"?(?:\s+SET "?([a-z_]+))?'
)
# What tells two writes of one table apart: a state, a fact or its handler, the kind of a call.
STATE = re.compile(r"\bstate\"? = '([a-z_]+)'(?=[, ])")
FACT = re.compile(r"'((?:bookings|payments|inventory)\.[a-z_.]+)'")
KIND = re.compile(r"'(authorize|expire|capture|void|refund)'")
# Several facts are claimed at once or one after the other, as it happens: each claim has its name.
CLAIM = re.compile(r'UPDATE "kernel_outboxmessage" SET "available_at" .* IN \(([\d, ]+)\)')
PLACEHOLDER = re.compile(r"\$(\d+)")
OBJECT = re.compile(r"/(cs|pi|ch|re)_\w+")


class CommitWire(PostgresWire):
    """The text of a request that commits something is the name of that step, in brackets."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._database = url

    def requests(self, asker: BinaryIO) -> Iterator[tuple[str | None, bytes]]:
        written: list[str] = []
        is_open = False
        for text, data in super().requests(asker):
            sql = _with_its_values(text or "", data)
            step = ""
            if sql in {"BEGIN", "ROLLBACK", "COMMIT"}:
                step = _step(written) if sql == "COMMIT" else ""
                written, is_open = [], sql == "BEGIN"
            elif is_open:
                written += self._writes(sql)
            else:
                step = _step(self._writes(sql))
            yield step or text, data

    def _writes(self, sql: str) -> list[str]:
        if claim := CLAIM.search(sql):
            return [f"update kernel_outboxmessage claim {topic}" for topic in self._topics(claim)]
        what = [*STATE.findall(sql)[:1], *FACT.findall(sql)]
        if "payments_providercall" in sql:
            what += KIND.findall(sql)
        return [
            " ".join([VERBS[verb], table, *dict.fromkeys(filter(None, [column, *what]))])
            for verb, table, column in WRITE.findall(sql)
        ]

    def _topics(self, claim: re.Match[str]) -> list[str]:
        ids = [int(number) for number in claim[1].split(",")]
        with psycopg.connect(self._database, autocommit=True) as database:
            found = database.execute(
                "SELECT DISTINCT topic FROM kernel_outboxmessage WHERE id = ANY(%s)", [ids]
            )
            return [topic for (topic,) in found]


class CallWire(HttpWire):
    """The text of a request is the name of the call, in brackets."""

    def requests(self, asker: BinaryIO) -> Iterator[tuple[str | None, bytes]]:
        for text, data in super().requests(asker):
            yield f"[{OBJECT.sub('/…', text or '')}]", data


def _step(written: list[str]) -> str:
    claims = [f"[{write}]" for write in written if " claim " in write]
    return "".join(claims) or (f"[{', '.join(dict.fromkeys(written))}]" if written else "")


def _with_its_values(sql: str, data: bytes) -> str:
    """The statement as it would be without placeholders."""
    values = _values(data)
    return PLACEHOLDER.sub(
        lambda mark: values[int(mark[1]) - 1] if int(mark[1]) <= len(values) else mark[0], sql
    )


def _values(data: bytes) -> list[str]:
    """What the last Bind among these messages binds."""
    stream, values = io.BytesIO(data), list[str]()
    while kind := stream.read(1):
        message = stream.read(int.from_bytes(stream.read(4)) - 4)
        if kind == b"B":
            _, _, bound = message.split(b"\0", 2)
            values = list(_bound(io.BytesIO(bound)))
    return values


def _bound(stream: BinaryIO) -> Iterator[str]:
    def number(length: int) -> int:
        return int.from_bytes(stream.read(length), signed=True)

    formats = [number(2) for _ in range(number(2))]
    for position in range(number(2)):
        raw = stream.read(max(number(4), 0))
        is_binary = formats and formats[position % len(formats)]
        value = str(int.from_bytes(raw)) if is_binary else raw.decode("latin-1")
        yield value if value.isdigit() else f"'{value}'"
