"""The programme, and a stand-in for the page of an event."""

from django.http import HttpResponse
from django.urls import include, path


def event(request, slug):
    return HttpResponse(slug)


inventory = ([path("e/<slug:slug>/", event, name="event")], "inventory")
urlpatterns = [path("", include("events.urls")), path("", include(inventory))]
