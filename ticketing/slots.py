"""Load shedding: a bounded number of requests at the database, a bounded wait, then "come again".

A web process has many cheap threads and few database connections, its slots. A request waits for a
slot for a moment; who gets none is told so at once, instead of waiting in a pile that nobody sees.
The connections stay few, open and warm, as their statements are prepared in each.
"""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from ticketing.kernel.metrics import SECONDS, Counter, Gauge, Histogram

SHED = Counter("ticketing_requests_shed", "Requests told to come again, for want of a slot")
WAITED = Histogram("ticketing_slot_wait_seconds", "Waiting for a database slot", buckets=SECONDS)
WAITING = Gauge(
    "ticketing_slot_waiters",
    "Requests that wait for a database slot now",
    multiprocess_mode="livesum",
)
RETRY_SECONDS = 3
ALIAS = "default"


class SlotsMiddleware:
    """Inside whatever answers without the database, outside everything that asks it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        # The last one given back is the first one taken: its caches are warm.
        self._slots: queue.LifoQueue[BaseDatabaseWrapper] = queue.LifoQueue()
        for _ in range(settings.DATABASE_SLOTS):
            self._slots.put(_new_slot())
        # Fewer than there are threads, so that one is always left to say "come again".
        self._waiters = threading.Semaphore(settings.DATABASE_WAITERS)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.DATABASE_SLOTS or request.path in settings.WITHOUT_SLOT:
            return self.get_response(request)
        slot = self._take()
        if slot is None:
            SHED.inc()
            return _come_again(request)
        connections[ALIAS] = slot
        try:
            return self.get_response(request)
        finally:
            # Django ends a request by looking at its thread's connection: by then it is another's.
            del connections[ALIAS]
            self._give_back(slot)

    def _take(self) -> BaseDatabaseWrapper | None:
        """A slot, or None if too many wait already or none was given back in time."""
        with suppress(queue.Empty):
            return self._slots.get_nowait()
        if not self._waiters.acquire(blocking=False):
            return None
        try:
            with WAITING.track_inprogress(), WAITED.time():
                return self._slots.get(timeout=settings.DATABASE_SLOT_SECONDS)
        except queue.Empty:
            return None
        finally:
            self._waiters.release()

    def _give_back(self, slot: BaseDatabaseWrapper) -> None:
        if slot.in_atomic_block:
            # Left in the middle of a transaction: nobody may go on with it.
            slot.close()
            slot = _new_slot()
        else:
            slot.close_if_unusable_or_obsolete()
        self._slots.put(slot)


def _new_slot() -> BaseDatabaseWrapper:
    slot = connections.create_connection(ALIAS)
    slot.inc_thread_sharing()
    return slot


def _come_again(request: HttpRequest) -> HttpResponse:
    response: HttpResponse
    if request.path.startswith("/api/"):
        problem = {"type": "/problems/busy", "title": "Too many requests at once", "status": 503}
        response = JsonResponse(problem, status=503, content_type="application/problem+json")
    else:
        response = render(request, "busy.html", {"retry_after": RETRY_SECONDS}, status=503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response
