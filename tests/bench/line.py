"""One kept connection of a browser that shows nothing."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass

LENGTH = re.compile(r"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
CHUNKED = re.compile(r"^transfer-encoding: *chunked", re.IGNORECASE | re.MULTILINE)
LOCATION = re.compile(r"^location: *(\S+)", re.IGNORECASE | re.MULTILINE)
COOKIE = re.compile(r"^set-cookie: *([^=]+)=([^;\r]*)", re.IGNORECASE | re.MULTILINE)


class UnexpectedAnswer(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Answer:
    head: str
    body: bytes

    @property
    def leads_to(self) -> str:
        """The address that it leads to; empty if to none."""
        found = LOCATION.search(self.head)
        return found[1] if found else ""

    @property
    def cookies(self) -> dict[str, str]:
        return dict(COOKIE.findall(self.head))

    def __str__(self) -> str:
        return f"{self.head}{self.body[:2000].decode(errors='replace')}"


class Line:
    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)

    async def get(self, path: str, cookies: Mapping[str, str]) -> Answer:
        return await self._exchange("GET", path, b"", cookies)

    async def post(self, path: str, form: str, cookies: Mapping[str, str]) -> Answer:
        return await self._exchange("POST", path, form.encode(), cookies)

    async def _exchange(
        self, method: str, path: str, body: bytes, cookies: Mapping[str, str]
    ) -> Answer:
        said = "; ".join(f"{name}={value}" for name, value in cookies.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            f"Cookie: {said}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        length = LENGTH.search(answer)
        if length:
            return Answer(answer, await self._reader.readexactly(int(length[1])))
        if not CHUNKED.search(answer):
            raise UnexpectedAnswer(f"an answer does not say how long it is:\n{answer}")
        return Answer(answer, await self._chunks())

    async def _chunks(self) -> bytes:
        found = b""
        while size := int(await self._reader.readline(), 16):
            found += await self._reader.readexactly(size)
            await self._reader.readline()
        await self._reader.readline()
        return found
