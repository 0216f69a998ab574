from argparse import ArgumentParser
from collections.abc import Collection
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from events.models import Event
from inventory import reports, selectors, standing
from inventory.errors import HoldLost, NotBlocked, PaymentStarted
from inventory.management import arguments
from inventory.models import Block, Hold
from inventory.services import blocks, releasing
from inventory.services.releasing import Ended

PAYING = (
    "Its payment has begun. Wait until it is over, or say --even-if-paying: money that comes then"
    " goes back by itself."
)


class Command(BaseCommand):
    help = (
        "Gives seats of an event back: lifts blocks, whole (--block) or in part (--seats, --file),"
        " or ends a hold (--hold), whose places go where it returns to. Sold seats are given back"
        " by cancelling their booking, never here."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments.add_event(parser)
        parser.add_argument("--reason", required=True, help="why, for whoever reads it later")
        parser.add_argument("--block", type=int, action="append", default=[], metavar="ID")
        arguments.add_seats(parser)
        parser.add_argument("--hold", type=UUID, action="append", default=[], metavar="REFERENCE")
        parser.add_argument(
            "--even-if-paying",
            action="store_true",
            help="end a hold whose payment has begun; money that comes goes back by itself",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen, change nothing"
        )

    def handle(
        self,
        *,
        event: str,
        reason: str,
        block: list[int],
        seats: list[str],
        file: Path | None,
        hold: list[UUID],
        even_if_paying: bool,
        dry_run: bool,
        **_options: Any,
    ) -> None:
        if sum(map(bool, (block, seats or file, hold))) != 1:
            raise CommandError("Say one of --block, --seats (or --file), and --hold.")
        self.dry_run, self.why = dry_run, arguments.reason_of(reason, most=500)
        found = arguments.event_of(event)
        if block:
            self._blocks(found, block)
        elif hold:
            self._holds(found, hold, even_if_paying=even_if_paying)
        else:
            self._seats(found, seats, file)

    def _blocks(self, event: Event, block_ids: Collection[int]) -> None:
        known = set(Block.objects.filter(event=event).values_list("pk", flat=True))
        for block_id in block_ids:
            if block_id not in known:
                raise CommandError(f"“{event.slug}” has no block {block_id}. Nothing was lifted.")
        for block_id in block_ids:
            if self.dry_run:
                number = len(standing.seats_of_block(block_id))
                self.stdout.write(f"This would lift {number:,} seats of block {block_id}.")
                continue
            number = blocks.lift_block(block_id=block_id, why=self.why, by=arguments.operator())
            self._done(f"Block {block_id}: {number:,} seats are on sale again.")

    def _seats(self, event: Event, lines: list[str], file: Path | None) -> None:
        hall = arguments.hall_of(event)
        wanted = arguments.seats_of(lines, file, hall)
        named = reports.counted(wanted, hall)
        strangers: Collection[int]
        if self.dry_run:
            now = standing.of(event_id=event.pk, seat_ids=wanted)
            strangers = set(wanted) - now.blocked.keys()
            if not strangers:
                self.stdout.write(f"This would lift {named}.")
                return
        else:
            try:
                blocks.lift(
                    event_id=event.pk, seat_ids=wanted, why=self.why, by=arguments.operator()
                )
            except NotBlocked as refusal:
                strangers = refusal.seat_ids
            else:
                self._done(f"On sale again: {named}.")
                return
        reason = reports.not_blocked(strangers, hall)
        raise CommandError(arguments.bulleted("Nothing is lifted:", [reason]))

    def _holds(self, event: Event, references: list[UUID], *, even_if_paying: bool) -> None:
        rows = {
            hold.reference: hold
            for hold in Hold.objects.filter(event=event).filter(reference__in=references)
        }
        for reference in references:
            if reference not in rows:
                raise CommandError(f"“{event.slug}” has no hold {reference}. Nothing was ended.")
        for reference in references:
            self._hold(rows[reference], even_if_paying=even_if_paying)

    def _hold(self, hold: Hold, *, even_if_paying: bool) -> None:
        if self.dry_run:
            view = selectors.hold_by_id(hold.pk)
            if view is None or not view.is_live:
                self.stdout.write(f"Hold {hold.reference} is over already.")
            elif view.payment_started_at and not even_if_paying:
                raise CommandError(f"Hold {hold.reference} would stay. {PAYING}")
            else:
                places = selectors.places_of(hold.pk)
                self.stdout.write(f"This would end hold {hold.reference} of {places} places.")
            return
        try:
            ended = releasing.release(
                reference=hold.reference,
                why=self.why,
                by=arguments.operator(),
                even_if_paying=even_if_paying,
            )
        except PaymentStarted as refusal:
            raise CommandError(f"Hold {hold.reference} stays. {PAYING}") from refusal
        except HoldLost as refusal:
            raise CommandError(f"There is no hold {hold.reference}.") from refusal
        if ended == Ended.WAS_OVER:
            self.stdout.write(f"Hold {hold.reference} was over already.")
        else:
            self._done(f"Hold {hold.reference} is {ended}: its places are given back.")

    def _done(self, said: str) -> None:
        self.stdout.write(self.style.SUCCESS(said))
