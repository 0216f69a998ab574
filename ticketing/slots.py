"""Load shedding: a bounded number of requests at the database, a bounded wait, then "come again".

A web process has many cheap threads and few database connections, its slots. A request waits for a
slot for a moment; who gets none is told so at once, instead of waiting in a pile that nobody sees.
Who has one and waits in vain for a lock, or meets a database that is gone, is told the same. Who
waits for the payment provider needs none meanwhile.
The connections stay few, open and warm, as their statements are prepared in each.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers

from ticketing.kernel import transactions
from ticketing.kernel.metrics import SECONDS, Counter, Gauge, Histogram
from ticketing.kernel.problems import BUSY, MEDIA_TYPE, RETRY_SECONDS, Problem, is_busy

SHED = Counter("ticketing_requests_shed", "Requests told to come again, for want of a slot")
WAITED = Histogram("ticketing_slot_wait_seconds", "Waiting for a database slot", buckets=SECONDS)
WAITING = Gauge(
    "ticketing_slot_waiters",
    "Requests that wait for a database slot now",
    multiprocess_mode="livesum",
)
log = logging.getLogger(__name__)

ALIAS = "default"
# These ask no database.
WITHOUT_SLOT = {"/livez", "/metrics"}
# These do not stand in line with the crowd.
APART = ("/payments/", "/readyz")
Slot = TypeVar("Slot")


class SlotsMiddleware:
    """Inside whatever answers without the database, outside everything that asks it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._slots = Slots([_new_slot() for _ in range(settings.DATABASE_SLOTS)])
        # The provider would tell again hours later, and a load balancer would give the node up.
        self._apart = Slots([_new_slot()])
        self._away = threading.Semaphore(settings.DATABASE_LENT)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.DATABASE_SLOTS or request.path in WITHOUT_SLOT:
            return self.get_response(request)
        line = self._apart if request.path.startswith(APART) else self._slots
        slot = line.take(waiters=settings.DATABASE_WAITERS, seconds=settings.DATABASE_SLOT_SECONDS)
        if slot is None:
            SHED.inc()
            return _come_again(request)
        connections[ALIAS] = slot
        try:
            with transactions.lending(lambda: self._lent(line)):
                return self.get_response(request)
        finally:
            _give_back(line)

    @contextmanager
    def _lent(self, line: "Slots[BaseDatabaseWrapper]") -> Iterator[None]:
        """A request waits for the payment provider: its slot is another's meanwhile.

        It comes back however long the line is: what it learned has to be written down. Only so many
        may be away, or they would have every thread of the server; the others keep their slots.
        """
        if not self._away.acquire(blocking=False):
            yield
            return
        try:
            _give_back(line)
            try:
                yield
            finally:
                connections[ALIAS] = line.wait()
        finally:
            self._away.release()

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """PostgreSQL could not serve this in time, or not at all: that is nobody's mistake."""
        if not is_busy(error):
            return None
        log.warning("a request was not served: %s", type(error.__cause__ or error).__name__)
        return _come_again(request)


class Slots(Generic[Slot]):
    """Connections for one at a time each; who waits longest is the next, and nobody overtakes."""

    def __init__(self, slots: list[Slot]) -> None:
        # The last one given back is the first one taken: its caches are warm.
        self._free = slots
        self._queue: deque[Future[Slot]] = deque()
        self._lock = threading.Lock()

    def take(self, *, waiters: int, seconds: float) -> Slot | None:
        """A slot, or None if so many wait already or none was given back in time."""
        with self._lock:
            if self._free:
                return self._free.pop()
            if len(self._queue) >= waiters:
                return None
            turn: Future[Slot] = Future()
            self._queue.append(turn)
        with WAITING.track_inprogress(), WAITED.time():
            try:
                return turn.result(timeout=seconds)
            except TimeoutError:
                with self._lock:
                    if turn in self._queue:
                        self._queue.remove(turn)
                        return None
                # It was handed over at this very moment.
                return turn.result()

    def wait(self) -> Slot:
        """A slot, for whoever cannot do without."""
        with self._lock:
            if self._free:
                return self._free.pop()
            turn: Future[Slot] = Future()
            self._queue.append(turn)
        with WAITING.track_inprogress(), WAITED.time():
            return turn.result()

    def give_back(self, slot: Slot) -> None:
        with self._lock:
            if self._queue:
                self._queue.popleft().set_result(slot)
            else:
                self._free.append(slot)


def _give_back(line: Slots[BaseDatabaseWrapper]) -> None:
    slot = connections[ALIAS]
    # Django ends a request by looking at its thread's connection: by then it is another's.
    del connections[ALIAS]
    line.give_back(_ready(slot))


def _ready(slot: BaseDatabaseWrapper) -> BaseDatabaseWrapper:
    """The slot, or a new one in its place: nobody may go on in the middle of a transaction."""
    if slot.in_atomic_block:
        slot.close()
        return _new_slot()
    slot.close_if_unusable_or_obsolete()
    return slot


def _new_slot() -> BaseDatabaseWrapper:
    slot = connections.create_connection(ALIAS)
    slot.inc_thread_sharing()
    return slot


def _come_again(request: HttpRequest) -> HttpResponse:
    response: HttpResponse
    if request.path.startswith("/api/"):
        busy = Problem(BUSY, retry_after=RETRY_SECONDS)
        response = JsonResponse(busy.body, status=busy.status_code, content_type=MEDIA_TYPE)
    else:
        # Without the request: what its session or its messages say may have to be asked for.
        page = render_to_string("busy.html", {"retry_after": RETRY_SECONDS} | _again(request))
        response = HttpResponse(page, status=503)
        add_never_cache_headers(response)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _again(request: HttpRequest) -> dict[str, Any]:
    """How a browser asks once more: for a page by itself, with a form that has a key as it is.

    Of a form without a key nobody knows that sending it twice does no harm.
    """
    form = request.POST if "idempotency_key" in request.POST else {}
    fields = [(name, value) for name in form for value in request.POST.getlist(name)]
    return {"is_form": request.method == "POST", "fields": fields}
