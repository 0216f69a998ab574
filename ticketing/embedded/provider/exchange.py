"""HTTP as this app sees it: one request read, one response written."""

import hashlib
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from ticketing.embedded.provider import wire
from ticketing.embedded.provider.wire import Json, ProviderError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LARGEST_BODY = 1_000_000


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    gone: Receive

    @property
    def raw(self) -> str:
        return self.query if self.method == "GET" else self.body.decode()

    @property
    def key(self) -> str:
        return self.headers.get("idempotency-key", "") if self.method == "POST" else ""

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"{self.method} {self.path}?{self.raw}".encode()).hexdigest()

    @property
    def form(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(self.body.decode()).items()}


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


async def read(scope: Message, receive: Receive) -> Request:
    body = b""
    more = True
    while more and len(body) <= LARGEST_BODY:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return Request(
        method=scope["method"],
        path=scope["path"],
        query=scope["query_string"].decode(),
        headers={name.decode().lower(): value.decode() for name, value in scope["headers"]},
        body=body,
        gone=receive,
    )


async def write(response: Response, send: Send) -> None:
    headers = {
        "content-length": str(len(response.body)),
        "request-id": wire.new_id("req_"),
        "stripe-version": wire.API_VERSION,
        "cache-control": "no-store",
        **response.headers,
    }
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": response.body})


def is_local(scope: Message) -> bool:
    client = scope.get("client")
    return client is not None and ipaddress.ip_address(client[0]).is_loopback


def json_response(status: int, value: Json) -> Response:
    body = json.dumps(wire.public(value)).encode()
    return Response(status, body, {"content-type": "application/json"})


def error_response(error: ProviderError) -> Response:
    return json_response(error.status, error.body)


def html(status: int, page: str) -> Response:
    policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": policy}
    return Response(status, page.encode(), headers)


def text(status: int, text: str) -> Response:
    return Response(status, text.encode(), {"content-type": "text/plain; charset=utf-8"})


def redirect(address: str) -> Response:
    return Response(303, b"", {"location": address})
