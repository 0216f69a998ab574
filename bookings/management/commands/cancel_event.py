"""An event called off: its bookings cancelled and paid back; goes on where it was."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from bookings.services import calling_off
from events.errors import WrongState
from events.models import Event
from events.services import programme


class Command(BaseCommand):
    help = (
        "Calls an event off, for good: cancels every booking, gives all of the money back, and"
        " tells each buyer. Run it again to go on after an interruption, or to see how far it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the event's name in its address")
        parser.add_argument("--batch", type=int, default=100, help="bookings between two lines")
        parser.add_argument(
            "--progress", action="store_true", help="only say how far it is; cancel nothing"
        )

    def handle(self, *, slug: str, batch: int, progress: bool, **_options: Any) -> None:
        event_id = Event.objects.filter(slug=slug).values_list("pk", flat=True).first()
        if event_id is None:
            raise CommandError(f"There is no event “{slug}”. Its page in the admin shows its slug.")
        if not progress:
            try:
                programme.cancel(event_id=event_id, at=timezone.now())
            except WrongState as refusal:
                raise CommandError(f"“{slug}” is a draft: nothing was sold of it.") from refusal
            while calling_off.cancel_batch(at=timezone.now(), limit=batch, event_id=event_id):
                self._say(event_id)
        self._say(event_id)
        if not progress and calling_off.progress(event_id).sold:
            raise CommandError("Some bookings could not be cancelled: the log says why.")

    def _say(self, event_id: int) -> None:
        far = calling_off.progress(event_id)
        self.stdout.write(
            f"Bookings cancelled: {far.cancelled}. Still sold: {far.sold}."
            f" Not paid yet: {far.pending}."
        )
