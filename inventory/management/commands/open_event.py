"""An event put on sale: its seats and pools are made, once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from events.models import Event
from inventory.errors import OpeningRefused
from inventory.services import opening


class Command(BaseCommand):
    help = (
        "Opens an event for sale: makes a seat for each of its map's and a pool for each standing"
        " area, and puts it on the programme. When it sells is said by its on-sales."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the event's name in its address")

    def handle(self, *, slug: str, **_options: Any) -> None:
        event_id = Event.objects.filter(slug=slug).values_list("pk", flat=True).first()
        if event_id is None:
            raise CommandError(f"There is no event “{slug}”. Its page in the admin shows its slug.")
        try:
            opened = opening.open_event(event_id=event_id, at=timezone.now())
        except OpeningRefused as refusal:
            reasons = "\n".join(f"  - {reason}" for reason in refusal.reasons)
            raise CommandError(f"“{slug}” cannot be opened yet:\n{reasons}") from refusal
        places = f"{opened.seats:,} seats and {opened.pools} pools"
        if opened.is_new:
            self.stdout.write(self.style.SUCCESS(f"“{slug}” is open, with {places}."))
        else:
            self.stdout.write(f"“{slug}” was open already, with {places}; nothing changed.")
