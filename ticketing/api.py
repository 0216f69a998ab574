"""The addresses of the API, under /api/v1/, and the schema that describes them."""

from functools import cache
from typing import Any

from django.http import Http404
from django.urls import path, re_path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.api import holds
from events import api as events
from inventory import api as inventory


@cache
def schema() -> dict[str, Any]:
    """The OpenAPI document: it changes only with the code."""
    document: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    return document


@extend_schema(exclude=True)
class Schema(APIView):
    authentication_classes = []
    permission_classes = [AllowAny]
    throttle_classes = []

    def get(self, request: Request) -> Response:
        return Response(schema(), content_type="application/vnd.oai.openapi+json")


@extend_schema(exclude=True)
class Nowhere(APIView):
    """Also where nothing is, the API answers as it does everywhere."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        raise Http404


app_name = "api"
urlpatterns = [
    path("schema/", Schema.as_view(), name="schema"),
    path("events/", events.EventList.as_view(), name="events"),
    path("events/<slug:slug>/", events.OneEvent.as_view(), name="event"),
    path("events/<slug:slug>/availability/", inventory.Availability.as_view(), name="availability"),
    path(
        "events/<slug:slug>/sections/<slug:section_slug>/seats/",
        inventory.SectionSeats.as_view(),
        name="seats",
    ),
    path("events/<slug:slug>/holds/", holds.HoldsOfEvent.as_view(), name="holds"),
    path("holds/<uuid:reference>/", holds.OneHold.as_view(), name="hold"),
    path("holds/<uuid:reference>/extend/", holds.Extension.as_view(), name="extend"),
    re_path("", Nowhere.as_view()),
]
