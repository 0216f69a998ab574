"""A crowd of fans at the door of the shop, as a process of its own: `python -m tests.bench.crowd`.

Reads an Errand as JSON, keeps `connections` open, asks on each one thing after the other, and
writes what it saw. Anybody who is not sent where he should be ends it with an error.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

CSRF = re.compile(rb"csrftoken=([^;]+)", re.IGNORECASE)
LOCATION = re.compile(rb"^location: *(\S+)", re.IGNORECASE | re.MULTILINE)
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ask:
    """One fan's wish: who asks, and the form without its CSRF token."""

    cookie: str
    form: str


@dataclass(frozen=True, slots=True)
class Errand:
    host: str
    port: int
    connections: int
    # A page with a form, for the CSRF token, and where the form goes.
    page: str
    action: str
    # Where a fan is sent whose wish was granted.
    leads_to: str
    asks: list[Ask]


@dataclass(frozen=True, slots=True)
class Seen:
    seconds: float
    latencies_ms: list[float]


class Refused(Exception):
    pass


class Line:
    """One kept connection, and the CSRF cookie that came through it."""

    def __init__(self, errand: Errand) -> None:
        self._errand = errand

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(
            self._errand.host, self._errand.port
        )
        head, _ = await self._exchange("GET", self._errand.page, "", b"")
        token = CSRF.search(head)
        if token is None:
            raise Refused(f"{self._errand.page} sets no CSRF cookie:\n{head.decode()}")
        self._token = token[1].decode()

    async def ask(self, ask: Ask) -> None:
        form = f"csrfmiddlewaretoken={self._token}&{ask.form}".encode()
        cookies = f"csrftoken={self._token}; {ask.cookie}"
        head, body = await self._exchange("POST", self._errand.action, cookies, form)
        location = LOCATION.search(head)
        if location is None or not location[1].decode().startswith(self._errand.leads_to):
            raise Refused(f"{self._errand.action} answered\n{head.decode()}{body[:2000].decode()}")

    async def _exchange(
        self, method: str, path: str, cookies: str, body: bytes
    ) -> tuple[bytes, bytes]:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._errand.host}:{self._errand.port}\r\n"
            f"Cookie: {cookies}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(answer)
        if length is None:
            raise Refused(f"{path} does not say how long its answer is:\n{answer.decode()}")
        return answer, await self._reader.readexactly(int(length[1]))


async def send(errand: Errand) -> Seen:
    lines = [Line(errand) for _ in range(errand.connections)]
    await asyncio.gather(*(line.open() for line in lines))
    asks, latencies = iter(errand.asks), list[float]()
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for line in lines:
            group.create_task(_keep_asking(line, asks, latencies))
    return Seen(time.perf_counter() - began, latencies)


async def _keep_asking(line: Line, asks: Iterator[Ask], latencies: list[float]) -> None:
    for ask in asks:
        began = time.perf_counter()
        await line.ask(ask)
        latencies.append((time.perf_counter() - began) * 1000)


def main() -> None:
    told = json.load(sys.stdin)
    errand = Errand(**told | {"asks": [Ask(**ask) for ask in told["asks"]]})
    try:
        seen = asyncio.run(send(errand))
    except* Refused as refusals:
        sys.exit(str(refusals.exceptions[0]))
    json.dump(asdict(seen), sys.stdout)


if __name__ == "__main__":
    main()
