from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from ticketing.kernel import outbox, tasks


class Command(BaseCommand):
    help = "Tells the facts that wait in the outbox, once. The ticker does this all the time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--batch", type=int, default=100, help="facts claimed at one time")
        parser.add_argument(
            "--here", action="store_true", help="run slow handlers here, not in a worker"
        )

    def handle(self, *_: Any, batch: int, here: bool, **__: Any) -> None:
        dispatch = outbox.run_here if here else tasks.dispatch
        told = 0
        while claimed := outbox.relay(limit=batch, dispatch=dispatch):
            told += claimed
        self.stdout.write(f"Facts told: {told}. The oldest that still waits is {outbox.lag()} old.")
