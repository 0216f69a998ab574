from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inventory.services import holds


class Command(BaseCommand):
    help = "Ends the holds whose lease has lapsed. Beat does this every second."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--batch", type=int, default=settings.EXPIRY_BATCH, help="holds in one transaction"
        )

    def handle(self, *_: Any, batch: int, **__: Any) -> None:
        ended = holds.expire_all(batch=batch)
        self.stdout.write(f"Lapsed holds ended: {ended}.")
