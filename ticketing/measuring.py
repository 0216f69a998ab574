"""How many requests there are, how long they take, and where the figures can be read."""

import time
from collections.abc import Callable
from hmac import compare_digest
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden

from inventory import sweeping
from ticketing import schedule
from ticketing.kernel.metrics import CONTENT_TYPE_LATEST, SECONDS, Histogram, exposition

# Reading and writing apart: a slow map is not a slow hold.
REQUESTS = Histogram(
    "ticketing_request_seconds",
    "Requests answered, by route and kind of answer",
    ["path", "route", "status"],
    buckets=SECONDS,
)

# One of these is sent by any proxy that ends TLS for us.
OF_PROXIES = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded")


class MeasuringMiddleware:
    """The outermost: what it measures includes the wait for a database slot."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        path = "read" if request.method in {"GET", "HEAD"} else "write"
        match = request.resolver_match
        # The name of a route, never an address: that could be anything.
        route = (match.view_name if match else "") or "other"
        status = f"{response.status_code // 100}xx"
        REQUESTS.labels(path, route, status).observe(time.perf_counter() - began)
        return response


def metrics(request: HttpRequest) -> HttpResponse:
    """The figures, for who has the token; without one, for this machine itself."""
    if not _may_read(request):
        return HttpResponseForbidden("METRICS_TOKEN is needed\n", content_type="text/plain")
    sweeping.measure(period=schedule.ENTRIES["expire holds"].every.total_seconds())
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        wanted = f"Bearer {settings.METRICS_TOKEN}"
        return compare_digest(request.headers.get("Authorization", "").encode(), wanted.encode())
    # Behind a proxy every request seems to come from this machine.
    if any(name in request.headers for name in OF_PROXIES):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
