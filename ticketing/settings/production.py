"""For a real box office: everything that matters comes from the environment, or nothing starts."""

from datetime import timedelta

from ticketing.settings.base import *  # noqa: F403
from ticketing.settings.base import env

DEBUG = False
SECRET_KEY = env.str("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS")
# What the others may do without.
for name in ("DATABASE_URL", "VALKEY_URL", "STRIPE_SECRET_KEY"):
    env.str(name)
# Without it anybody could tell us that he has paid.
STRIPE_WEBHOOK_SECRET = env.list("STRIPE_WEBHOOK_SECRET")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# TLS ends at one, as the header below says.
PROXY_COUNT = env.int("PROXY_COUNT", 1)

SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", True)
# Who watches the process asks it itself, without TLS: a load balancer, a scraper of its figures.
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds())
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
