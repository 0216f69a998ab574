"""Which app answers which address."""

from django.contrib import admin
from django.urls import include, path

from ticketing import health

urlpatterns = [
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("payments/", include("payments.urls")),
    path("", include("events.urls")),
    path("events/", include("inventory.urls")),
    path("", include("bookings.urls")),
    path("admin/", admin.site.urls),
]
