"""What all private pages share: nobody caches, indexes or passes them on."""

from collections.abc import Callable
from functools import wraps

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

View = Callable[..., HttpResponse]

RETRY_SECONDS = 3


def private(view: View) -> View:
    """For pages of one fan's own: never kept, never indexed."""

    @wraps(view)
    def private_view(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = never_cache(view)(request, *args, **kwargs)
        response["X-Robots-Tag"] = "noindex"
        return response

    return private_view


def secret(view: View) -> View:
    """For pages behind an unguessable link: private, and the link is told to no other site."""

    @wraps(view)
    def secret_view(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = private(view)(request, *args, **kwargs)
        response["Referrer-Policy"] = "no-referrer"
        return response

    return secret_view


def patient(view: View) -> View:
    """Where many come at once: who cannot be served in time is told so, and when to come again."""

    @wraps(view)
    def patient_view(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except OperationalError:
            response = render(request, "busy.html", {"retry_after": RETRY_SECONDS}, status=503)
            response["Retry-After"] = str(RETRY_SECONDS)
            return response

    return patient_view
