from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from inventory.services import holds


class Command(BaseCommand):
    help = "Ends the holds whose lease has lapsed. Beat does this every second."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--batch", type=int, default=settings.EXPIRY_BATCH, help="holds in one transaction"
        )

    def handle(self, *_: Any, batch: int, **__: Any) -> None:
        if batch < 1:
            raise CommandError("A batch has one hold or more: --batch=200.")
        ended = holds.expire_all(batch=batch, tell=self._so_far)
        self.stdout.write(f"Lapsed holds ended: {ended:,}.")

    def _so_far(self, ended: int) -> None:
        self.stdout.write(f"{ended:,} so far …")
