"""Which app answers which address."""

from django.contrib import admin
from django.urls import path

from ticketing import health

urlpatterns = [
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("admin/", admin.site.urls),
]
