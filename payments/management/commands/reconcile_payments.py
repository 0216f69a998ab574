from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from payments.services import reconciliation

BATCH = 100


class Command(BaseCommand):
    help = "Asks the payment provider about every payment that is due, and finishes it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--all",
            action="store_true",
            help="ask now about all of them, not only about those that are due",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        at = timezone.now()
        if options["all"]:
            reconciliation.hasten(at=at)
        totals: dict[str, int] = {}
        while counts := {k: n for k, n in self._batch(at).items() if n}:
            for name, number in counts.items():
                totals[name] = totals.get(name, 0) + number
        if not totals:
            self.stdout.write("Nothing to reconcile: every payment is at rest or not due yet.")
        for name, number in sorted(totals.items()):
            self.stdout.write(f"{name:<16} {number:>8}")

    def _batch(self, at: Any) -> dict[str, int]:
        return dict(reconciliation.reconcile_batch(at=at, limit=BATCH))
