"""A wire between a process and its server, on which a test can strike at a named request.

It passes every byte on, reads along, and calls the test at a moment that no observer could hit by
luck: before the server hears of a request, or when it has answered and the asker has not heard.
"""

import re
import socket
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import BinaryIO, Literal
from urllib.parse import urlsplit

Moment = Literal["before", "after"]
# For whoever asks PostgreSQL through a wire: it cannot read along what is encrypted.
PLAIN = {"PGSSLMODE": "disable", "PGGSSENCMODE": "disable"}


@dataclass(slots=True)
class Point:
    """The next `times` requests that contain `text`, and what to do there."""

    text: str
    moment: Moment
    strike: Callable[[], object]
    times: int = 1
    over: threading.Event = field(default_factory=threading.Event)


class Wire(ABC):
    """Listens for the length of its block; `url` leads through it to the server."""

    def __init__(self, url: str) -> None:
        there = urlsplit(url)
        self._server = (str(there.hostname), int(there.port or 0))
        self._door = socket.create_server(("127.0.0.1", 0))
        here = "{}:{}".format(*self._door.getsockname())
        self.url = url.replace("{}:{}".format(*self._server), here)
        self._ends: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._point: Point | None = None
        self._one_at_a_time = threading.Lock()
        # What was asked, in the order of its coming.
        self.heard: list[str] = []

    def strike_at(
        self, text: str, moment: Moment, strike: Callable[[], object], *, times: int = 1
    ) -> Point:
        """Call `strike` there; its connection leads nowhere from then on."""
        self._point = Point(text, moment, strike, times)
        return self._point

    @abstractmethod
    def requests(self, asker: BinaryIO) -> Iterator[tuple[str | None, bytes]]:
        """What is said to the server; a request, which is answered once, has a text."""

    @abstractmethod
    def answers(self, server: BinaryIO) -> Iterator[tuple[bool, bytes]]:
        """What the server says, and whether that is the whole answer to a request."""

    def __enter__(self) -> "Wire":
        self._run(self._welcome)
        return self

    def __exit__(self, *_: object) -> None:
        _hang_up(self._door)
        for end in list(self._ends):
            _hang_up(end)
        for thread in self._threads:
            thread.join(timeout=20)

    def _run(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _welcome(self) -> None:
        with self._door, suppress(OSError):
            while True:
                asker, _ = self._door.accept()
                self._ends.add(asker)
                try:
                    server = socket.create_connection(self._server)
                except OSError:
                    _hang_up(asker)
                    asker.close()
                    continue
                self._ends.add(server)
                self._run(self._connect, asker, server)

    def _connect(self, asker: socket.socket, server: socket.socket) -> None:
        asked: deque[str] = deque()
        back = threading.Thread(target=self._pass_back, args=(asker, server, asked))
        back.start()
        with asker, server:
            self._pass_on(asker, server, asked)
            back.join()
        self._ends -= {asker, server}

    def _pass_on(self, asker: socket.socket, server: socket.socket, asked: deque[str]) -> None:
        with _until_one_hangs_up(asker, server), asker.makefile("rb") as stream:
            for text, data in self.requests(stream):
                if text is not None:
                    self.heard.append(text)
                    if self._strikes(text, "before"):
                        return
                    asked.append(text)
                server.sendall(data)

    def _pass_back(self, asker: socket.socket, server: socket.socket, asked: deque[str]) -> None:
        with _until_one_hangs_up(asker, server), server.makefile("rb") as stream:
            for is_whole, data in self.answers(stream):
                if is_whole and self._strikes(asked.popleft(), "after"):
                    return
                asker.sendall(data)

    def _strikes(self, text: str, moment: Moment) -> bool:
        with self._one_at_a_time:
            point = self._point
            if point is None or point.moment != moment or point.text not in text:
                return False
            point.times -= 1
            if not point.times:
                self._point = None
        try:
            point.strike()
        finally:
            point.over.set()
        return True


class PostgresWire(Wire):
    """A request is what ends with a Sync or is a simple query; its text is its SQL."""

    def requests(self, asker: BinaryIO) -> Iterator[tuple[str | None, bytes]]:
        yield None, _message(asker, b"")
        known: dict[bytes, str] = {}
        text, data = "", b""
        while kind := asker.read(1):
            message = _message(asker, kind)
            data += message
            match kind:
                case b"P":
                    name, sql, _ = message[5:].split(b"\0", 2)
                    known[name] = sql.decode()
                case b"B":
                    _, name, _ = message[5:].split(b"\0", 2)
                    text = known[name]
                case b"Q":
                    text = message[5:-1].decode()
            if kind in b"QS":
                yield text, data
                text, data = "", b""
            elif kind in b"pX":
                yield None, data
                data = b""

    def answers(self, server: BinaryIO) -> Iterator[tuple[bool, bytes]]:
        is_open, data = False, b""
        while kind := server.read(1):
            data += _message(server, kind)
            if kind == b"Z" or not is_open:
                yield is_open, data
                is_open, data = is_open or kind == b"Z", b""
        yield False, data


class ValkeyWire(Wire):
    """A request is a command with all its arguments."""

    def requests(self, asker: BinaryIO) -> Iterator[tuple[str | None, bytes]]:
        while data := _reply(asker):
            yield data.decode("latin-1"), data

    def answers(self, server: BinaryIO) -> Iterator[tuple[bool, bytes]]:
        while data := _reply(server):
            yield True, data


class HttpWire(Wire):
    """A request is one of HTTP; its text is its method and path."""

    def requests(self, asker: BinaryIO) -> Iterator[tuple[str | None, bytes]]:
        while data := _http(asker):
            method, address, _ = data.split(b" ", 2)
            yield f"{method.decode()} {urlsplit(address.decode()).path}", data

    def answers(self, server: BinaryIO) -> Iterator[tuple[bool, bytes]]:
        while data := _http(server):
            yield True, data


def _http(stream: BinaryIO) -> bytes:
    """One message of HTTP, whose body has the length that its head says."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return b""
        head += line
    length = re.search(rb"(?i)^content-length: *(\d+)", head, re.MULTILINE)
    return head + (stream.read(int(length[1])) if length else b"")


def _message(stream: BinaryIO, kind: bytes) -> bytes:
    """One message of PostgreSQL's protocol: its kind, its length, itself."""
    length = stream.read(4)
    return kind + length + stream.read(max(int.from_bytes(length) - 4, 0))


def _reply(stream: BinaryIO) -> bytes:
    """One value of Valkey's protocol, and all that is in it."""
    line = stream.readline()
    match line[:1]:
        case b"$" | b"=" | b"!":
            return line + stream.read(int(line[1:]) + 2) if line[1:2] != b"-" else line
        case b"*" | b"~" | b">":
            return line + b"".join(_reply(stream) for _ in range(int(line[1:])))
        case b"%":
            return line + b"".join(_reply(stream) for _ in range(2 * int(line[1:])))
    return line


@contextmanager
def _until_one_hangs_up(*ends: socket.socket) -> Iterator[None]:
    """Ends both connections with either; that one is gone is what faults are about."""
    try:
        with suppress(OSError):
            yield
    finally:
        for end in ends:
            _hang_up(end)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
