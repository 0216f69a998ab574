"""Telling the box office, signed, until it answers; what is owed outlives the process."""

import asyncio
import hashlib
import hmac
import json
import logging
import sqlite3
import time
import urllib.error
import urllib.request

from ticketing.embedded.provider import faults, intents, sessions
from ticketing.embedded.provider.store import Delivery, Endpoint, Store

logger = logging.getLogger(__name__)

# Seconds between the tries; after the last one the event is given up, as the real provider does.
PAUSES = (1, 5, 15, 60, 300, 1800, 7200, 21600)
AT_ONCE = 8
TIMEOUT = 10
TIDY_EVERY = 5


class Courier:
    """Delivers what is owed, several at once and in no promised order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._news = asyncio.Event()
        self._under_way: dict[int, asyncio.Task[None]] = {}

    def wake(self) -> None:
        self._news.set()

    async def run(self) -> None:
        tidied = 0.0
        while True:
            try:
                if time.monotonic() - tidied > TIDY_EVERY:
                    tidied = time.monotonic()
                    self._tidy()
                self._send_owed()
            except sqlite3.Error:
                # A full disk, say: whatever is owed is still owed at the next round.
                logger.exception("the state cannot be read or written")
            try:
                async with asyncio.timeout(0.5):
                    await self._news.wait()
            except TimeoutError:
                continue
            self._news.clear()

    def _tidy(self) -> None:
        with self._store.transaction():
            sessions.expire_due(self._store)
            intents.expire_due(self._store)

    def _send_owed(self) -> None:
        for delivery in self._store.owed(time.time(), limit=2 * AT_ONCE):
            if delivery.seq not in self._under_way and len(self._under_way) < AT_ONCE:
                task = asyncio.create_task(self._deliver(delivery))
                self._under_way[delivery.seq] = task

    async def _deliver(self, delivery: Delivery) -> None:
        try:
            await self._try(delivery)
        finally:
            del self._under_way[delivery.seq]
            self.wake()

    async def _try(self, delivery: Delivery) -> None:
        endpoint = self._store.endpoint()
        with self._store.transaction():
            fault = faults.for_webhook(self._store, delivery.event["type"])
        times = {"drop_webhook": 0, "dup_webhook": 2}.get(fault.mode if fault else "", 1)
        accepted = True
        if endpoint and times:
            sends = [asyncio.to_thread(post, endpoint, delivery.event) for _ in range(times)]
            accepted = all(await asyncio.gather(*sends))
        with self._store.transaction():
            if accepted or delivery.attempts >= len(PAUSES):
                self._store.told(delivery.seq)
            else:
                self._store.postpone(delivery.seq, due=time.time() + PAUSES[delivery.attempts])


def signature(body: bytes, secret: str, at: int) -> str:
    """The `Stripe-Signature` of a body sent at a moment."""
    digest = hmac.new(secret.encode(), b"%d.%s" % (at, body), hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def post(endpoint: Endpoint, event: object) -> bool:
    """Send once; True if it was taken."""
    body = json.dumps(event).encode()
    request = urllib.request.Request(  # noqa: S310 - the developer's own endpoint
        endpoint.url,
        body,
        {
            "Content-Type": "application/json; charset=utf-8",
            "Stripe-Signature": signature(body, endpoint.secret, int(time.time())),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310
            return bool(response.status < 300)  # noqa: PLR2004
    except (urllib.error.URLError, OSError) as error:
        logger.warning("webhook to %s was not taken: %s", endpoint.url, error)
        return False
