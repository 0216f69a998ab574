from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from inventory import ranges, story
from inventory.management import arguments
from inventory.ranges import Unclear
from ticketing.kernel import times


class Command(BaseCommand):
    help = "Says whose a seat of an event is, since when, and everything that happened to it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments.add_event(parser)
        parser.add_argument(
            "seat", metavar="SEAT", help="such as “Parkett; 3; 5”, as a fan reads it, or its id"
        )

    def handle(self, *, event: str, seat: str, **_options: Any) -> None:
        found = arguments.event_of(event)
        zone = found.venue.time_zone
        try:
            seat_id = ranges.read_one(seat, arguments.hall_of(found))
        except Unclear as unclear:
            raise CommandError("\n".join(unclear.problems)) from unclear
        told = story.of(seat_id, at=timezone.now())
        self.stdout.write(f"{told.name} (event seat {seat_id}, price zone {told.zone})")
        since = f", since {times.exact(told.since, zone)}" if told.since else ""
        self.stdout.write(self.style.SUCCESS(f"Now {told.now}{since}."))
        if not told.chapters:
            self.stdout.write("Nobody has ever held it or blocked it.")
        for chapter in told.chapters:
            when = times.exact(chapter.at, zone)
            self.stdout.write(f"  {when}  {chapter.was:>9} → {chapter.became:<9}  {chapter.how}")
