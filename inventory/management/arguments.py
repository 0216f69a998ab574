"""What the commands about seats are given: an event, seats in words, and who is asking."""

import getpass
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path

from django.core.management.base import CommandError

from events.models import Event
from inventory import halls, ranges
from inventory.ranges import Hall, Unclear
from ticketing.kernel.acting import Actor

SEATS = "such as “Parkett; 3; 5-12, 14”, “Parkett; 1-3” or “Parkett”; may be said several times"


def add_event(parser: ArgumentParser) -> None:
    parser.add_argument("event", metavar="EVENT", help="the event's name in its address, or its id")


def add_seats(parser: ArgumentParser) -> None:
    parser.add_argument("--seats", action="append", default=[], metavar="LINE", help=SEATS)
    parser.add_argument("--file", type=Path, help="a file with such lines")


def event_of(text: str) -> Event:
    rows = Event.objects.select_related("venue")
    found = rows.filter(slug=text).first()
    if found is None and text.isdecimal():
        found = rows.filter(pk=int(text)).first()
    if found is None:
        raise CommandError(f"There is no event “{text}”. Its page in the admin shows its slug.")
    return found


def hall_of(event: Event) -> Hall:
    hall = halls.of(event.pk)
    if not hall.sections:
        raise CommandError(f"“{event.slug}” has no seats: it is not open for sale, or has no map.")
    return hall


def seats_of(lines: list[str], file: Path | None, hall: Hall) -> list[int]:
    """The seats of all these lines, in the order of the hall."""
    if file:
        try:
            lines = [*lines, *file.read_text().splitlines()]
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}") from error
    try:
        return ranges.read("\n".join(lines), hall)
    except Unclear as unclear:
        raise CommandError(bulleted("Nothing was changed:", unclear.problems)) from unclear


def reason_of(text: str, *, most: int) -> str:
    text = text.strip()
    if not text or len(text) > most:
        raise CommandError(f"Give a reason, of {most} characters at most.")
    return text


def operator() -> Actor:
    """Whoever runs the command, as the operating system calls him."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "somebody"
    return Actor(name=f"{name}, by a command")


def bulleted(head: str, reasons: Iterable[str]) -> str:
    return "\n".join([head, *(f"  - {reason}" for reason in reasons)])
