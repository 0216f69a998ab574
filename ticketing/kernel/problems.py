"""Problem details (RFC 9457): every refusal of the API, in one shape and with one list of kinds.

An app adds its own kinds where it translates its errors. `docs/api.md` lists them all, and a test
holds it to that.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.core import exceptions as django_errors
from django.core.signals import got_request_exception
from django.db import InternalError, OperationalError
from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from psycopg.errors import IdleInTransactionSessionTimeout
from rest_framework import exceptions, serializers
from rest_framework.response import Response

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
# Seconds after which whoever could not be served in time may come again.
RETRY_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem: its name and status never change, callers steer by them."""

    name: str
    status: int
    title: str | Promise

    @property
    def type(self) -> str:
        return f"/problems/{self.name}"


KINDS: dict[str, Kind] = {}


def kind(name: str, status: int, title: str | Promise) -> Kind:
    """Register a kind of problem."""
    if name in KINDS:
        raise ValueError(f"two kinds of problem are named {name!r}")
    KINDS[name] = Kind(name, status, title)
    return KINDS[name]


MALFORMED = kind("malformed", 400, _("The request cannot be read"))
INVALID = kind("invalid", 400, _("The request does not fit the schema"))
UNAUTHENTICATED = kind("unauthenticated", 401, _("A valid token is needed"))
FORBIDDEN = kind("forbidden", 403, _("The token may not do this"))
NOT_FOUND = kind("not-found", 404, _("There is nothing here for you"))
METHOD_NOT_ALLOWED = kind("method-not-allowed", 405, _("This cannot be done here"))
NOT_ACCEPTABLE = kind("not-acceptable", 406, _("Answers are JSON only"))
TOO_LARGE = kind("too-large", 413, _("The request is too large"))
UNSUPPORTED_MEDIA_TYPE = kind("unsupported-media-type", 415, _("Requests are JSON only"))
THROTTLED = kind("throttled", 429, _("Too many requests"))
INTERNAL = kind("internal", 500, _("Something went wrong here"))
BUSY = kind("busy", 503, _("Too many requests at once"))

_KIND_BY_STATUS = {
    400: MALFORMED,
    401: UNAUTHENTICATED,
    403: FORBIDDEN,
    404: NOT_FOUND,
    405: METHOD_NOT_ALLOWED,
    406: NOT_ACCEPTABLE,
    415: UNSUPPORTED_MEDIA_TYPE,
    429: THROTTLED,
}


class Problem(exceptions.APIException):
    """A refusal as the caller reads it; `members` are the facts that he can act on."""

    def __init__(
        self,
        of: Kind,
        detail: str | Promise = "",
        *,
        retry_after: int | None = None,
        **members: object,
    ) -> None:
        super().__init__(str(detail))
        self.kind = of
        self.status_code = of.status
        self.members = members
        self.retry_after = retry_after
        if retry_after is not None:
            members["retry_after"] = retry_after

    @property
    def body(self) -> dict[str, object]:
        """What the caller is answered, before it is JSON."""
        return {
            "type": self.kind.type,
            "title": str(self.kind.title),
            "status": self.kind.status,
            **({"detail": str(self.detail)} if self.detail else {}),
            **self.members,
        }


class FieldProblemShape(serializers.Serializer[Any]):
    field = serializers.CharField(help_text="Empty for the request as a whole")
    detail = serializers.CharField()


class ProblemShape(serializers.Serializer[Any]):
    """Problem details (RFC 9457). Some kinds have more members."""

    type = serializers.CharField(help_text="What went wrong, for programs")
    title = serializers.CharField(help_text="The same for people")
    status = serializers.IntegerField()
    detail = serializers.CharField(required=False, help_text="What went wrong this time")
    # It hides the serializer's own `errors`, which nobody asks of what is only described.
    errors = FieldProblemShape(  # type: ignore[assignment]
        many=True, required=False, help_text="Fields that do not fit"
    )
    retry_after = serializers.IntegerField(required=False, help_text="Seconds to wait")


def answers(
    good: Mapping[int, object], refusals: Mapping[int, type[ProblemShape]] | None = None
) -> dict[Any, Any]:
    """For the schema: what an operation may answer, with the refusals that any may have."""
    always = dict.fromkeys((400, 401, 403, 404, 406, 429, 500, 503), ProblemShape)
    refused = {**always, **(refusals or {})}
    return {**good, **{(status, MEDIA_TYPE): shape for status, shape in refused.items()}}


def handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """What REST framework answers when a view raises."""
    problem = _problem(error)
    if problem is None:
        # As Django does for a page: whoever listens hears of it, and the log has the traceback.
        got_request_exception.send(sender=None, request=context["request"]._request)
        logger.error("the API failed", exc_info=error)
        problem = Problem(INTERNAL)
    headers = {}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if auth_header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    return Response(
        problem.body, status=problem.kind.status, headers=headers, content_type=MEDIA_TYPE
    )


def is_busy(error: Exception) -> bool:
    """Whether PostgreSQL could not serve this in time, or not at all: then nothing was done.

    A lock or a statement took too long, the database is away, or this process stood still for so
    long that its transaction was taken from it.
    """
    stood_still = isinstance(error.__cause__, IdleInTransactionSessionTimeout)
    return isinstance(error, OperationalError) or (isinstance(error, InternalError) and stood_still)


def _problem(error: Exception) -> Problem | None:
    """The problem that an error is to the caller; None if it is a fault of ours."""
    found = None
    match error:
        case Problem():
            found = error
        case exceptions.ValidationError():
            found = Problem(INVALID, errors=list(_by_field(error.detail)))
        case exceptions.Throttled():
            # It knows for how long; its stubs do not know that it does.
            wait: float | None = getattr(error, "wait", None)
            found = Problem(THROTTLED, retry_after=max(1, ceil(wait or 1)))
        case django_errors.RequestDataTooBig():
            found = Problem(TOO_LARGE)
        case Http404():
            found = Problem(NOT_FOUND)
        case django_errors.PermissionDenied():
            found = Problem(FORBIDDEN)
        case _ if is_busy(error):
            logger.warning("the API could not serve in time: %s", error)
            found = Problem(BUSY, retry_after=RETRY_SECONDS)
        case exceptions.APIException() if error.status_code in _KIND_BY_STATUS:
            found = Problem(_KIND_BY_STATUS[error.status_code], str(error.detail))
    return found


def _by_field(detail: Any, path: tuple[str, ...] = ()) -> Iterator[dict[str, str]]:
    """What is wrong with each field: `seats.0.id` is the id of the first of the seats."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            here = path if name == "non_field_errors" else (*path, str(name))
            yield from _by_field(inner, here)
    elif isinstance(detail, list):
        for position, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list)
            yield from _by_field(inner, (*path, str(position)) if nested else path)
    else:
        yield {"field": ".".join(path), "detail": str(detail)}
