"""For the demo and for developing: the embedded services, found through `var/run/`."""

import os

from ticketing.embedded import runtime

for name, value in runtime.environment("demo").items():
    os.environ.setdefault(name, value)

from ticketing.settings.base import *  # noqa: E402, F403

DEBUG = env.bool("DEBUG", False)  # noqa: F405
# Worthless on purpose: production refuses to start without one of its own.
SECRET_KEY = env.str("SECRET_KEY", "local-" + "0" * 50)  # noqa: F405
ALLOWED_HOSTS = ["*"]
DEMO = True
# Style sheets are served from where they are written, without a step before.
WHITENOISE_USE_FINDERS = True
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = VAR / "mail"  # noqa: F405
