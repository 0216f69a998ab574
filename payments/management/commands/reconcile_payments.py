from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from payments.errors import OutcomeUnknown
from payments.services import comparing, reconciliation

BATCH = 100


class Command(BaseCommand):
    help = "Asks the payment provider about every payment that is due, and finishes it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--all",
            action="store_true",
            help="ask now about all of them, not only about those that are due",
        )

        parser.add_argument(
            "--since",
            type=_moment,
            metavar="DATE",
            help="compare every payment made since then with the provider's list, both ways",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        at = timezone.now()
        if options["since"]:
            self._compare(options["since"], at)
            return
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

    def _compare(self, since: datetime, at: datetime) -> None:
        try:
            found = comparing.compare(since=since, at=at)
        except OutcomeUnknown as silence:
            raise CommandError(f"The provider cannot be asked: {silence}") from silence
        self.stdout.write(f"Compared: {found.payments} payments made since {since.isoformat()}.")
        for difference in found.mended:
            self.stdout.write(f"mended by asking again: {difference}")
        for difference in found.left:
            self.stderr.write(str(difference))
        if found.left:
            raise CommandError(f"Differences: {len(found.left)}")
        self.stdout.write(self.style.SUCCESS("No difference."))


def _moment(text: str) -> datetime:
    """A date, from its first moment in UTC, or a moment."""
    try:
        day = parse_date(text)
        moment = datetime.combine(day, time()) if day else parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise ArgumentTypeError(f"{text!r} is no date, such as 2026-11-30")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
