from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory import reports, standing
from inventory.errors import NotFree
from inventory.management import arguments
from inventory.models import BY_HAND, BlockKind
from inventory.services import blocks


class Command(BaseCommand):
    help = (
        "Keeps seats of an event from general sale: all that are named, or none. Seats that are"
        " held, sold or in a block already are named instead. Held means held: a lapsed hold is"
        " not in the way."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments.add_event(parser)
        parser.add_argument("--kind", required=True, choices=[kind.value for kind in BY_HAND])
        parser.add_argument("--reason", required=True, help="why, for whoever reads it later")
        arguments.add_seats(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen, change nothing"
        )

    def handle(
        self,
        *,
        event: str,
        kind: str,
        reason: str,
        seats: list[str],
        file: Path | None,
        dry_run: bool,
        **_options: Any,
    ) -> None:
        reason = arguments.reason_of(reason, most=200)
        found = arguments.event_of(event)
        hall = arguments.hall_of(found)
        wanted = arguments.seats_of(seats, file, hall)
        if not wanted:
            raise CommandError("No seat is named: say which with --seats or --file.")
        named = reports.counted(wanted, hall)
        zone = found.venue.time_zone
        if dry_run:
            now = standing.of(event_id=found.pk, seat_ids=wanted)
            if now.not_free:
                reasons = reports.in_the_way(now, hall, zone)
                raise CommandError(arguments.bulleted("This would block nothing:", reasons))
            self.stdout.write(f"This would block {named}.")
            return
        self.stdout.write(f"Blocking {len(wanted):,} seats …")
        try:
            block_id = blocks.block(
                event_id=found.pk,
                seat_ids=wanted,
                kind=BlockKind(kind),
                reason=reason,
                by=arguments.operator(),
            )
        except NotFree as refusal:
            reasons = reports.in_the_way(refusal.standing, hall, zone)
            raise CommandError(arguments.bulleted("Nothing was blocked:", reasons)) from refusal
        self.stdout.write(self.style.SUCCESS(f"Block {block_id} has {named}."))
