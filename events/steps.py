"""What staff may do with an event besides editing it: each a button, a question, and a service.

A floor above adds its own steps, so that opening an event for sale stands on the event's page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.models import Event, EventState
from events.services import programme

Text = str | Promise


class StepRefused(Exception):
    """The step cannot be made; each reason says what to mend."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    label: Text
    # Asked before it is done.
    question: Text
    is_possible: Callable[[Event], bool]
    # Does it and says what happened; raises StepRefused.
    run: Callable[[Event, datetime], Text]
    is_drastic: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page about one event, which its name and the event's id lead to."""

    name: str
    label: Text
    is_there: Callable[[Event], bool]


# Filled by the floors above.
pages: list[Page] = []


def _announce(event: Event, at: datetime) -> Text:
    programme.announce(event_id=event.pk, at=at)
    return _("The event is on the programme.")


def _pause(event: Event, _at: datetime) -> Text:
    programme.pause(event_id=event.pk)
    return _("The sale is paused. Whoever holds places can still pay for them.")


def _resume(event: Event, _at: datetime) -> Text:
    programme.resume(event_id=event.pk)
    return _("The sale goes on.")


def _postpone(event: Event, at: datetime) -> Text:
    programme.postpone(event_id=event.pk, at=at)
    return _("The event is postponed, and sells nothing until it is back on the programme.")


def _reschedule(event: Event, at: datetime) -> Text:
    programme.reschedule(event_id=event.pk, at=at)
    return _("The event is back on the programme, on the day it has now.")


def _cancel(event: Event, at: datetime) -> Text:
    programme.cancel(event_id=event.pk, at=at)
    return _("The event is cancelled. Its bookings are being cancelled and paid back in full.")


steps: list[Step] = [
    Step(
        "announce",
        _("Put on the programme"),
        _("Fans will see the event and when it goes on sale. It sells nothing until it is opened."),
        lambda event: event.state == EventState.DRAFT,
        _announce,
    ),
    Step(
        "pause",
        _("Pause the sale"),
        _("Nobody can take new places until you let it go on. Held places can still be paid."),
        lambda event: (
            event.opened_at is not None
            and event.state == EventState.PUBLISHED
            and not event.is_paused
        ),
        _pause,
    ),
    Step(
        "resume",
        _("Let the sale go on"),
        _("Fans can take places again, as far as an on-sale is open."),
        lambda event: event.is_paused and event.state == EventState.PUBLISHED,
        _resume,
    ),
    Step(
        "postpone",
        _("Postpone"),
        _("The page will say that a new date follows. Tickets stay valid, nothing more is sold."),
        lambda event: event.state == EventState.PUBLISHED,
        _postpone,
    ),
    Step(
        "reschedule",
        _("Back on the programme"),
        _("Fans will see the day and time that the event has now: change them first."),
        lambda event: event.state == EventState.POSTPONED,
        _reschedule,
    ),
    Step(
        "cancel",
        _("Cancel the event"),
        _(
            "This cannot be undone: a cancelled event never comes back. Every booking is cancelled,"
            " all that was paid goes back, and each buyer gets a mail."
        ),
        lambda event: event.state in {EventState.PUBLISHED, EventState.POSTPONED},
        _cancel,
        is_drastic=True,
    ),
]


def possible(event: Event) -> list[Step]:
    return [step for step in steps if step.is_possible(event)]


def by_name(name: str) -> Step | None:
    return next((step for step in steps if step.name == name), None)
