"""For the tests: services come from the environment, which `tests/services.py` fills."""

from ticketing.settings.base import *  # noqa: F403

SECRET_KEY = "test-" + "0" * 50
ALLOWED_HOSTS = ["*"]
DEMO = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STRIPE_SECRET_KEY = "sk_test_local"  # noqa: S105
STRIPE_WEBHOOK_SECRET = ["whsec_test"]
# Serve style sheets from where they are written; nothing is collected for a test.
WHITENOISE_AUTOREFRESH = True
# Tests that are rolled back never commit, so they would leave their claims behind; those of the
# gate, and the races, switch it on.
GATE = False
# A test changes the terms and sells by them in one breath.
TERMS_SECONDS = 0
# A test's transaction is on its own thread's connection.
DATABASE_SLOTS = 0
METRICS_DIR = ""
# All tests come from one network.
API_OPEN_PER_MINUTE = 1_000_000
