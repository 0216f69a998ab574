"""The demo season, loaded into a box office that is only for trying."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ticketing.ops import demo_data


class Command(BaseCommand):
    help = (
        "Makes halls, a season of events and three people to try them with. What is there already "
        "stays as it is. Refused wherever real tickets are sold."
    )

    def handle(self, **_options: Any) -> None:
        if not settings.DEMO:
            raise CommandError(
                "These settings are for a real box office, and the demo's people have a password"
                " that everybody knows. Run it with --settings ticketing.settings.local."
            )
        started = time.monotonic()
        is_new = False
        for line in demo_data.load(at=timezone.now()):
            self.stdout.write(f"  {line}")
            is_new = True
        if is_new:
            self.stdout.write(f"The demo is loaded ({time.monotonic() - started:.1f} s).")
        else:
            self.stdout.write("The demo was loaded already; nothing changed.")
