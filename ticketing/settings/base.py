"""What every installation shares. Each value that an operator may set is read here, once.

Times carry their unit; `docs/operations.md` lists every variable, and a test holds it to that.
"""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from ticketing.settings import api, unfold

ROOT = Path(__file__).resolve().parents[2]
env = environ.Env()
# Whatever is written while running, and nothing else, is in here.
VAR = Path(env.str("VAR_DIR", str(ROOT / "var")))

# The public address of the site, no slash at the end: mails and the payment provider link to it.
BASE_URL = env.str("BASE_URL", "http://127.0.0.1:8000").rstrip("/")
DATABASES = {
    "default": env.db_url(
        "DATABASE_URL", default="postgres://database-url-is-not-set.invalid/ticketing"
    ),
}
# A connection for each request would cost eight times a hold; see docs/decisions.md.
DATABASES["default"].update(
    CONN_MAX_AGE=None,
    OPTIONS={
        # A hold may wait this long for another fan's locks, then it gives up instead of piling up.
        # A process that stands still in the middle of a transaction loses it and its locks.
        "options": "-c lock_timeout=5s -c statement_timeout=30s"
        " -c idle_in_transaction_session_timeout=10s -c timezone=UTC",
        # A statement that comes again on a kept connection is not parsed and planned again.
        "server_side_binding": True,
        "prepare_threshold": 2,
    },
)
VALKEY_URL = env.str("VALKEY_URL", "valkey://valkey-url-is-not-set.invalid:6379/0").replace(
    "valkey://", "redis://", 1
)
CACHE_URL = env.str("CACHE_URL", VALKEY_URL).replace("valkey://", "redis://", 1)
CACHES = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": CACHE_URL,
        "OPTIONS": {
            # Waited for with a database slot in hand: four such waits of a second stop a shop.
            "SOCKET_CONNECT_TIMEOUT": 0.1,
            "SOCKET_TIMEOUT": 0.1,
            # A page without its cache is slower; a page with an error is no page.
            "IGNORE_EXCEPTIONS": True,
        },
    }
}
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"

STRIPE_SECRET_KEY = env.str("STRIPE_SECRET_KEY", "")
# Two may be valid at once while a secret is rotated: separate them by a comma.
STRIPE_WEBHOOK_SECRET = env.list("STRIPE_WEBHOOK_SECRET", default=[])
# Only for the local provider; empty means the real one.
STRIPE_API_BASE = env.str("STRIPE_API_BASE", "")
if STRIPE_API_BASE and STRIPE_SECRET_KEY.startswith(("sk_live_", "rk_live_")):
    raise ImproperlyConfigured(
        "A live key may not be sent to a local payment provider: "
        "unset STRIPE_API_BASE, or set STRIPE_SECRET_KEY to a test key."
    )

# A web process asks PostgreSQL over so many connections at once, so many requests more may wait
# for one of them, for so long; who comes beyond that is asked to come again. 0 slots: no limit.
# So many may lend theirs to others while they wait for the payment provider.
DATABASE_SLOTS = env.int("DATABASE_SLOTS", 4)
DATABASE_WAITERS = env.int("DATABASE_WAITERS", 24)
DATABASE_SLOT_SECONDS = env.float("DATABASE_SLOT_SECONDS", 2.0)
DATABASE_LENT = env.int("DATABASE_LENT", 24)
# Where the processes of this machine leave their figures; empty keeps each to its own memory.
METRICS_DIR = env.str("METRICS_DIR", str(VAR / "metrics"))
# Who scrapes the figures says this; empty allows only this machine itself, not through a proxy.
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
# For how long a web process may go by the terms of a sale that it read; 0 reads them each time.
TERMS_SECONDS = env.float("TERMS_SECONDS", 1.0)
# The shortcut in Valkey before a hold; without it every refusal asks PostgreSQL.
GATE = env.bool("GATE", True)
# How many proxies of ours stand before us: that far from its end, X-Forwarded-For can be believed.
PROXY_COUNT = env.int("PROXY_COUNT", 0)

# Requests a minute from one network that shows the API no token; tokens have rates of their own.
API_OPEN_PER_MINUTE = env.int("API_OPEN_PER_MINUTE", 60)
REST_FRAMEWORK = api.REST_FRAMEWORK
SPECTACULAR_SETTINGS = api.SPECTACULAR

# Small enough that no fan waits behind a long expiry transaction.
EXPIRY_BATCH = env.int("EXPIRY_BATCH", 200)

# Whether ada+one@… and ada+two@… are one person when places for each person are counted.
LIMIT_IGNORES_PLUS_TAGS = env.bool("LIMIT_IGNORES_PLUS_TAGS", True)

# Whether the demo may be loaded: its people have a password that everybody knows.
DEMO = False

INSTALLED_APPS = [
    "ticketing.kernel",
    "ticketing.accounts",
    "venues",
    "events",
    "inventory",
    "payments",
    "bookings",
    "ticketing.ops",
    "rest_framework",
    "drf_spectacular",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
]
MIDDLEWARE = [
    "ticketing.measuring.MeasuringMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "ticketing.slots.SlotsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "bookings.visitors.VisitorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "ticketing.urls"
WSGI_APPLICATION = "ticketing.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
UNFOLD = unfold.LOOK
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English"))]
LOCALE_PATHS = [ROOT / "locale"]

STATIC_URL = "/static/"
STATICFILES_DIRS = [ROOT / "static"]
STATIC_ROOT = VAR / "static"
# Tickets drawn once and kept, by ticket and credential.
MEDIA_ROOT = Path(env.str("MEDIA_ROOT", str(VAR / "media")))

# A form on our page may lead to the payment provider, nothing else may be loaded from elsewhere.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "style-src": [SELF],
        "script-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF, STRIPE_API_BASE or "https://checkout.stripe.com"],
    },
    "EXCLUDE_URL_PREFIXES": ["/admin/"],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
# Twice the widest form: a section page with every seat ticked.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000

EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
# A mail server that says nothing may not keep a worker from everything else.
EMAIL_TIMEOUT = 20
# The right side of a mail's Message-ID, so that a copy sent twice can be recognised.
EMAIL_DOMAIN = env.str("EMAIL_DOMAIN", "tickets.example.org")
DEFAULT_FROM_EMAIL = env.str("FROM_EMAIL", "Tickets <tickets@example.org>")

CELERY_BROKER_URL = VALKEY_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# The worker writes its log as all others do, by LOGGING below.
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A broker that answers nothing is given up at once: whoever asked for work asks again by himself.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": int(timedelta(minutes=5).total_seconds()),
    "socket_connect_timeout": 3,
    "socket_timeout": 5,
}

# One line a record; never a name, an address or a secret of a person.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "ticketing.kernel.discretion.DiscreetFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    # The SDK's own lines quote what was sent, a payer's address for example.
    "loggers": {"stripe": {"level": "WARNING"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "INFO")},
}
