"""Who calls the API: what his token may do, and how often.

REST framework imports these before its own views are there, so none is imported here.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from ticketing.accounts import partners
from ticketing.accounts.models import Scope
from ticketing.accounts.partners import Caller
from ticketing.kernel import addresses, attempts
from ticketing.kernel.problems import FORBIDDEN, Problem

if TYPE_CHECKING:
    from rest_framework.views import APIView

MINUTE = timedelta(minutes=1)


class PartnerAuthentication(BaseAuthentication):
    """`Authorization: Bearer tkt_…`; without the header, nobody in particular."""

    def authenticate(self, request: Request) -> tuple[Caller, None] | None:
        said = request.headers.get("Authorization")
        if said is None:
            return None
        scheme, _space, token = said.partition(" ")
        caller = partners.recognise(token.strip(), at=timezone.now())
        if scheme.lower() != "bearer" or caller is None:
            raise AuthenticationFailed(_("This token is unknown, expired or revoked."))
        return caller, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class HasScope(BasePermission):
    """The token has the scope that its view names for this method.

    Without a token nobody comes in but where AllowAny stands beside it.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if request.user is None:
            return AllowAny in view.permission_classes
        scopes: Mapping[str, Scope] = view.scopes  # type: ignore[attr-defined]
        method = "GET" if request.method == "HEAD" else str(request.method)
        needed = scopes.get(method)
        if needed and needed not in caller_of(request).scopes:
            raise Problem(FORBIDDEN, scope=needed)
        return True


class PerMinute(BaseThrottle):
    """So many requests of a token in a minute, whichever process they come to.

    Who shows none is counted by where he comes from.
    """

    _wait: int | None = None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        if request.user is None:
            most = {f"network {addresses.network(request._request)}": settings.API_OPEN_PER_MINUTE}
        else:
            caller = caller_of(request)
            most = {f"token {caller.token_id}": caller.requests_per_minute}
        try:
            attempts.spend("api", most=most, within=MINUTE)
        except attempts.TooManyAttempts as refusal:
            self._wait = refusal.retry_after
            return False
        except attempts.CannotCount:
            # A stopped store stops no sale.
            return True
        return True

    def wait(self) -> int | None:
        return self._wait


def caller_of(request: Request) -> Caller:
    """The partner behind a request that has one."""
    return cast("Caller", request.user)
