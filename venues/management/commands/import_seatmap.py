"""A hall from a file: reads a plan, says what it found, and writes it down as a draft."""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from venues import clocks, documents, pretix
from venues.errors import BadPlan, SeatsWouldVanish
from venues.pretix import Report
from venues.seatmaps import Kind, Plan
from venues.services import maps, places

# What is listed in full before the rest is counted.
SHOWN = 10


class Command(BaseCommand):
    help = (
        "Reads a hall from a seating plan in the pretix format (JSON) and prints what it found. "
        "The plan becomes a draft, which an event can use once it is published."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the seating plan, a JSON file")
        parser.add_argument("--venue", required=True, help="the hall's name; new ones are made")
        parser.add_argument("--name", default="", help="the plan's name; else the file's own")
        parser.add_argument(
            "--time-zone", default="UTC", help="of a new venue: Europe/Berlin, say (default UTC)"
        )
        parser.add_argument("--city", default="", help="of a new venue")
        parser.add_argument("--country", default="", help="of a new venue, two letters: DE")
        parser.add_argument(
            "--leave-out",
            action="append",
            default=[],
            metavar="CATEGORY",
            help="leave out the seats of this category; may be given more than once",
        )
        parser.add_argument("--publish", action="store_true", help="publish the draft at once")
        parser.add_argument("--dry-run", action="store_true", help="only read and report")

    def handle(self, *, file: Path, dry_run: bool, leave_out: list[str], **options: Any) -> None:
        try:
            document = documents.load(file.read_bytes())
            plan, report = pretix.read(document, leave_out=leave_out)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        except BadPlan as error:
            faults = "\n".join(f"  {problem}" for problem in error.problems)
            raise CommandError(f"{file} is not a plan, nothing was imported:\n{faults}") from error
        self._report(plan, report)
        if dry_run:
            self.stdout.write("A dry run: nothing was written.")
            return
        self._import(plan, **options)

    def _import(self, plan: Plan, *, venue: str, name: str, publish: bool, **options: Any) -> None:
        try:
            clocks.validate(options["time_zone"])
        except ValidationError as error:
            raise CommandError(*error.messages) from error
        hall = places.find_or_create(
            name=venue,
            city=options["city"],
            country=options["country"].upper(),
            time_zone=options["time_zone"],
        )
        if hall.is_new:
            self.stdout.write(f"A new venue: {venue}, where the clock is {hall.time_zone}.")
        imported = maps.import_plan(venue_id=hall.id, plan=plan, name=name)
        title = f"“{imported.name}” version {imported.version} of {venue}"
        if not imported.is_new:
            self.stdout.write(f"Nothing changed: this is {title} already.")
        else:
            self.stdout.write(f"Imported as {title}.")
        if publish:
            self._publish(imported.seat_map_id)
        elif imported.is_new:
            self.stdout.write("It is a draft: publish it in the admin, or import with --publish.")

    def _publish(self, seat_map_id: int) -> None:
        try:
            if maps.publish(seat_map_id=seat_map_id, at=timezone.now()):
                self.stdout.write(self.style.SUCCESS("Published: events can use it."))
        except SeatsWouldVanish as error:
            raise CommandError(
                "It stays a draft: it lacks seats that somebody holds or owns:"
                f" {_some(sorted(error.guids))}. Give those seats their old seat_guid."
            ) from error

    def _report(self, plan: Plan, report: Report) -> None:
        rows = list(plan.rows)
        seats = list(plan.seats)
        standing = sum(s.capacity for s in plan.sections if s.kind == Kind.STANDING)
        self.stdout.write(self.style.MIGRATE_HEADING(f"Plan “{plan.name}”"))
        self.stdout.write(
            f"  {_count(len(plan.sections), 'section')}, {_count(len(rows), 'row')},"
            f" {_count(sum(len(row.segments) for row in rows), 'segment')} at aisles,"
            f" {_count(len(seats), 'seat')}" + (f", {standing} standing" if standing else "")
        )
        for section in plan.sections:
            count = sum(len(row.seats) for row in section.rows)
            what = (
                f"{section.capacity} standing"
                if section.kind == Kind.STANDING
                else f"{_count(len(section.rows), 'row')}, {_count(count, 'seat')}"
            )
            self.stdout.write(f"  - {section.name}: {what}")
        self.stdout.write("  Categories:")
        in_category = Counter(seat.category for seat in seats)
        in_category.update({s.category: s.capacity for s in plan.sections if s.capacity})
        for category in plan.categories:
            self.stdout.write(f"  - {category.name}: {_count(in_category[category.name], 'place')}")
        wheelchair = sum(seat.is_wheelchair for seat in seats)
        if wheelchair:
            self.stdout.write(f"  {_count(wheelchair, 'wheelchair space')}")
        if report.tables:
            self.stdout.write(f"  {_count(report.tables, 'table')}: seats in the file's order")
        self._remarks(report)

    def _remarks(self, report: Report) -> None:
        if report.renamed:
            examples = [f"{old} → {new}" for old, new in report.renamed]
            self.stdout.write(
                self.style.WARNING(
                    f"  {_count(len(report.renamed), 'seat')} had a seat_guid that was taken, and"
                    f" got another: {_some(examples)}"
                )
            )
        for name, times in sorted(report.unread.items()):
            self.stdout.write(
                self.style.WARNING(f"  Not understood, left out: {name}, {times} times")
            )
        for note in report.notes:
            self.stdout.write(f"  Note: {note}")
        for question in report.questions:
            self.stdout.write(self.style.WARNING(f"  Question: {question}"))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _some(items: list[str]) -> str:
    shown = ", ".join(items[:SHOWN])
    return f"{shown} and {len(items) - SHOWN} more" if len(items) > SHOWN else shown
