from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from bookings import settlement
from bookings.settlement import Sums
from inventory.management import arguments
from ticketing.kernel import spreadsheets, times


class Command(BaseCommand):
    help = "Says what an event brought in: sold, taken, given back, kept by the provider, and net."

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments.add_event(parser)
        parser.add_argument(
            "--csv", type=Path, metavar="FILE", help="write a row for each payment into this file"
        )

    def handle(self, *, event: str, csv: Path | None, **_options: Any) -> None:
        found = arguments.event_of(event)
        settled = settlement.of_event(found.pk, at=timezone.now())
        when = times.exact(settled.at, found.venue.time_zone)
        self.stdout.write(self.style.SUCCESS(f"{found.title}, as of {when}"))
        if not settled.sums:
            self.stdout.write("Nothing was sold, and no money moved.")
        for sums in settled.sums:
            self.stdout.write("")
            for label, amount in _lines(sums):
                self.stdout.write(f"{label:<24} {amount:>16}")
        for row in settled.unexplained:
            self.stderr.write(f"not what was reserved for it: booking {row.booking}")
        if csv:
            self._write(csv, settled)

    def _write(self, path: Path, settled: settlement.Settlement) -> None:
        try:
            with path.open("w", encoding=spreadsheets.ENCODING, newline="") as file:
                spreadsheets.write(file, settlement.table(settled))
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error}") from error
        self.stdout.write(f"\nA row for each payment is in {path}.")


def _lines(sums: Sums) -> list[tuple[str, str]]:
    return [
        ("Sold for", str(sums.sold)),
        ("Taken", str(sums.gross)),
        ("Reserved, not taken yet", str(sums.open)),
        ("Came too late", str(sums.late)),
        ("Given back", str(sums.refunded)),
        ("Kept by the provider", str(sums.fees)),
        ("Disputed", str(sums.disputed)),
        ("Net", str(sums.net)),
    ]
