#!/usr/bin/env python3
"""Django's command line: `manage.py help` lists what staff can do."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, connection


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings.local")
    try:
        if sys.argv[1:2] == ["runserver"]:
            # Asks too late: in a thread, which its reloader outlives.
            connection.ensure_connection()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"The settings are not complete: {error}")
    except OperationalError:
        # The local settings set it to a running demo's.
        if "DATABASE_URL" in os.environ:
            raise
        sys.exit(
            "No database is running: start `make demo` in another terminal, or set DATABASE_URL."
        )


if __name__ == "__main__":
    main()
