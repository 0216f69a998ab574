"""The ASGI app: `granian --interface asgi --workers 1 ticketing.embedded.provider.app:app`."""

import asyncio

from ticketing.embedded.provider import (
    api,
    configuration,
    exchange,
    faults,
    front,
)
from ticketing.embedded.provider.exchange import Message, Receive, Request, Response, Send
from ticketing.embedded.provider.store import Answer, Fault, Store
from ticketing.embedded.provider.webhooks import Courier
from ticketing.embedded.provider.wire import ProviderError

LIVE_KEY = "This is a local test provider: never send it a live key."


class Provider:
    def __init__(self) -> None:
        self._in_flight: set[str] = set()
        self._store: Store | None = None
        self._courier: Courier | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            response = await self._respond(await exchange.read(scope, receive), scope)
            await exchange.write(response, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._open()
                await send({"type": "lifespan.startup.complete"})
            else:
                if self._running:
                    self._running.cancel()
                if self._store:
                    self._store.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _open(self) -> None:
        settings = configuration.read()
        self._store = Store(settings.state)
        if settings.endpoint:
            with self._store.transaction():
                self._store.tell(settings.endpoint)
        self._courier = Courier(self._store)
        self._running = asyncio.create_task(self._courier.run())

    async def _respond(self, request: Request, scope: Message) -> Response:
        if not exchange.is_local(scope):
            return exchange.text(403, "The local test provider answers this machine only.")
        if len(request.body) > exchange.LARGEST_BODY:
            return exchange.text(413, "Too large.")
        store = self._store
        if store is None or self._courier is None:
            raise RuntimeError("the server did not run the lifespan protocol")
        try:
            if request.path.startswith("/v1/"):
                return await self._answer_api(store, request)
            with store.transaction():
                return front.answer(store, request)
        finally:
            self._courier.wake()

    async def _answer_api(self, store: Store, request: Request) -> Response:
        if refusal := _refuse_key(request.headers.get("authorization", "")):
            return refusal
        with store.transaction():
            fault = faults.for_request(store, request.method, request.path)
        if fault and fault.mode == "timeout_before":
            await _wait(fault, request)
            return exchange.error_response(faults.BROKEN)
        if request.key and request.key in self._in_flight:
            return exchange.error_response(
                ProviderError(
                    409,
                    "There is currently another in-progress request using this Idempotent Key.",
                    kind="idempotency_error",
                    code="idempotency_key_in_use",
                )
            )
        if fault and fault.mode == "slow":
            self._in_flight.add(request.key)
            try:
                await asyncio.sleep(fault.seconds)
            finally:
                self._in_flight.discard(request.key)
        with store.transaction():
            response = _answer_once(store, request, fault)
        if fault and fault.mode == "timeout_after":
            if self._courier:
                self._courier.wake()
            await _wait(fault, request)
            return exchange.error_response(faults.BROKEN)
        return response


def _answer_once(store: Store, request: Request, fault: Fault | None) -> Response:
    """Answer, or repeat what was answered under this key before."""
    known = store.answer_to(request.key) if request.key else None
    if known:
        if known.fingerprint != request.fingerprint:
            return exchange.error_response(
                ProviderError(
                    400,
                    "Keys for idempotent requests can only be used with the same parameters they "
                    "were first used with.",
                    kind="idempotency_error",
                )
            )
        return Response(known.status, known.body, {"idempotent-replayed": "true"})
    try:
        if fault and fault.mode in faults.REFUSALS:
            raise faults.REFUSALS[fault.mode]
        response = exchange.json_response(
            200, api.answer(store, request.method, request.path, request.raw)
        )
    except ProviderError as error:
        response = exchange.error_response(error)
    # A request that was turned away at the door is not remembered, as with the real provider.
    if request.key and response.status != 429:  # noqa: PLR2004
        store.remember(request.key, Answer(request.fingerprint, response.status, response.body))
    return response


def _refuse_key(authorization: str) -> Response | None:
    key = authorization.removeprefix("Bearer ")
    if key.startswith(("sk_live_", "rk_live_")):
        return exchange.error_response(ProviderError(403, LIVE_KEY))
    if key.startswith(("sk_test_", "rk_test_")):
        return None
    return exchange.error_response(
        ProviderError(401, "You did not provide a test API key (sk_test_…).")
    )


async def _wait(fault: Fault, request: Request) -> None:
    """Keep the caller waiting, but not longer than it waits."""
    try:
        async with asyncio.timeout(fault.seconds):
            while (await request.gone())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return


app = Provider()
