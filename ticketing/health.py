"""What a load balancer asks: is this process alive, and can it serve?"""

from collections.abc import Callable

import redis
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from ticketing.kernel import loadboard


def livez(_request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nothing else: a restart mends no database."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(_request: HttpRequest) -> JsonResponse:
    """The process can sell: the database and Valkey answer it."""
    parts = {
        "database": _answers(_ask_database, DatabaseError),
        "valkey": _answers(loadboard.valkey().ping, redis.RedisError),
    }
    said = {name: "ok" if ok else "no answer" for name, ok in parts.items()}
    return JsonResponse(said, status=200 if all(parts.values()) else 503)


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _answers(ask: Callable[[], object], refusal: type[Exception]) -> bool:
    try:
        ask()
    except refusal:
        return False
    return True
