"""Who a fan is before there is an account: a signed cookie that names a visitor.

The cookie is given only when it is needed, so that pages for everybody stay cacheable. It carries a
random id and nothing about the person.
"""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "visitor"
SALT = "bookings.visitors"
# Long enough to find back to a booking of yesterday, short enough to be forgotten.
MAX_AGE = timedelta(days=30)


class Visitor:
    """The fan of one request."""

    def __init__(self, request: HttpRequest) -> None:
        seconds = int(MAX_AGE.total_seconds())
        signed = request.get_signed_cookie(COOKIE, default=None, salt=SALT, max_age=seconds)
        self._id = _uuid(signed)
        self._browser = request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
        self.is_new = False

    @property
    def owner_if_known(self) -> str | None:
        """The name under which this fan holds seats, or None if he never did."""
        return f"visitor:{self._id}" if self._id else None

    @property
    def owner(self) -> str:
        """The same, giving a name to a fan who has none yet."""
        if self._id is None:
            self._id = self._first_id()
            self.is_new = True
        return f"visitor:{self._id}"

    def _first_id(self) -> UUID:
        """The same for all forms that one browser sends before it heard our answer.

        A fan who taps twice, or again when nothing comes, must not meet himself as a rival. The
        token against forged forms is such a browser's own secret already.
        """
        if not self._browser:
            return uuid4()
        return UUID(bytes=salted_hmac(SALT, self._browser).digest()[:16], version=4)

    def remember(self, response: HttpResponse) -> None:
        response.set_signed_cookie(
            COOKIE,
            str(self._id),
            salt=SALT,
            max_age=MAX_AGE,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )


class VisitorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        visitor = Visitor(request)
        request.visitor = visitor  # type: ignore[attr-defined]
        response = self.get_response(request)
        if visitor.is_new:
            visitor.remember(response)
        return response


def of(request: HttpRequest) -> Visitor:
    """The visitor that the middleware found."""
    visitor: Visitor = request.visitor  # type: ignore[attr-defined]
    return visitor


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
