"""What the API's views of all apps have in common, and what their schema says of tokens."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from ticketing.accounts.callers import HasScope, PartnerAuthentication
from ticketing.accounts.models import Scope


class OpenView(APIView):
    """What everybody may look at, and what a token may look at more often."""

    permission_classes = [AllowAny, HasScope]
    scopes = {"GET": Scope.EVENTS_READ}


class BearerInSchema(OpenApiAuthenticationExtension):
    target_class = PartnerAuthentication
    name = "partnerToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
