"""The groups of staff, with exactly what each may do."""

from typing import Any

from django.core.management.base import BaseCommand

from ticketing.ops import roles


class Command(BaseCommand):
    help = "Makes the groups “Organizers” and “Box office”, or corrects what they may do."

    def handle(self, **_options: Any) -> None:
        roles.ensure()
        self.stdout.write(f"Ready: {', '.join(roles.ROLES)}.")
