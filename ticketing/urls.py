"""Which app answers which address."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from ticketing import health, measuring

urlpatterns = [
    # Asked for by browsers on pages that name no icon, such as the admin's.
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}icons/mark.svg")),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", measuring.metrics),
    path("api/v1/", include("ticketing.api")),
    path("payments/", include("payments.urls")),
    path("", include("events.urls")),
    path("events/", include("inventory.urls")),
    path("", include("bookings.urls")),
    path("admin/", admin.site.urls),
]
