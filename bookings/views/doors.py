"""What all private pages share: whose they are, and that nobody caches or indexes them."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from bookings import selectors, visitors
from bookings.models import Booking
from inventory import selectors as inventory

View = Callable[..., HttpResponse]


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
        response.setdefault("Referrer-Policy", "no-referrer")
        return response

    return secret_view


def own_hold(request: HttpRequest, reference: UUID) -> inventory.HoldView:
    """The fan's own hold, or 404: whether it is somebody else's is nobody's business."""
    for name in visitors.of(request).names:
        found = inventory.hold(reference=reference, owner=name)
        if found:
            return found
    raise Http404


def booking_behind(booking_secret: str) -> Booking:
    """The booking behind an unguessable link, or 404."""
    found = selectors.by_secret(booking_secret)
    if found is None:
        raise Http404
    return found
