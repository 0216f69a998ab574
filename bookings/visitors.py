"""Who a fan is: his account, or a signed cookie that names a visitor until he logs in.

The cookie is given only when it is needed, so that pages for everybody stay cacheable. It carries a
random id and nothing about the person. At login what the visitor holds becomes the account's; at
logout the browser is the visitor again and knows nothing of the account.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property

from inventory.services import joining
from ticketing.accounts.models import User

logger = logging.getLogger(__name__)

COOKIE = "visitor"
SALT = "bookings.visitors"
# Long enough to find back to a booking of yesterday, short enough to be forgotten.
MAX_AGE = timedelta(days=30)


class Visitor:
    """The fan of one request."""

    def __init__(self, request: HttpRequest) -> None:
        seconds = int(MAX_AGE.total_seconds())
        self._request = request
        signed = request.get_signed_cookie(COOKIE, default=None, salt=SALT, max_age=seconds)
        self._id = _uuid(signed)
        self._browser = request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
        self.is_new = False

    @property
    def owner_if_known(self) -> str | None:
        """The name under which this fan holds seats, or None if he never did."""
        return self._account or self.visitor_name

    @property
    def owner(self) -> str:
        """The same, with a name for a fan who has none yet; it is his once he holds something."""
        return self.owner_if_known or f"visitor:{self._first_id}"

    def keep(self) -> None:
        """He holds something now: let his browser know him by this name."""
        if not self.owner_if_known:
            self._id, self.is_new = self._first_id, True

    @property
    def also(self) -> str | None:
        """What this fan was called before he logged in: he may hold something under that name."""
        return self.visitor_name if self._account else None

    @property
    def names(self) -> list[str]:
        """All names of this fan, the present one first; none if he never held anything."""
        return [name for name in (self.owner_if_known, self.also) if name]

    def other_than(self, name: str) -> str | None:
        """The other name of a fan who has two."""
        return next((each for each in self.names if each != name), None)

    @property
    def visitor_name(self) -> str | None:
        """What the cookie calls this browser, logged in or not."""
        return f"visitor:{self._id}" if self._id else None

    @cached_property
    def _account(self) -> str | None:
        """Asked only of a browser with a session: nobody else's request costs a query for it."""
        if settings.SESSION_COOKIE_NAME not in self._request.COOKIES:
            return None
        user = getattr(self._request, "user", None)
        return account(user.pk) if user and user.is_authenticated else None

    @cached_property
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


def account(user_id: int) -> str:
    """The name under which an account holds seats."""
    return f"account:{user_id}"


def join(request: HttpRequest, user: User, **_signal: object) -> None:
    """At login: what this browser's visitor holds becomes the account's.

    Where that cannot be done just now, nothing is lost: the fan goes on under both names.
    """
    visitor = getattr(request, "visitor", None)
    name = visitor.visitor_name if visitor else None
    if name is None:
        return
    try:
        joining.join(visitor=name, account=account(user.pk))
    except DatabaseError:
        logger.warning("holds were not joined at login", exc_info=True)


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
