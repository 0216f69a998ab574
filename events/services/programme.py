"""The life of an event on the programme: announced, opened, paused, postponed, cancelled.

Each step is a guarded move with its fact; a step that is already made changes nothing. What becomes
of places and money is told to the floors above by the facts.
"""

from datetime import datetime

from django.db import transaction

from events.errors import WrongState
from events.models import Event, EventState
from ticketing.kernel import outbox, transactions


def announce(*, event_id: int, at: datetime) -> bool:
    """Put a draft on the programme before it sells. False if it is there already."""
    return _move(event_id, at, EventState.PUBLISHED, came_from={EventState.DRAFT})


def mark_opened(*, event_id: int, at: datetime) -> None:
    """Say that the event's places exist, and put it on the programme if it is still a draft.

    Joins the caller's transaction: the one that makes the places.
    """
    transactions.require()
    Event.objects.filter(pk=event_id, opened_at=None).update(opened_at=at)
    Event.objects.filter(pk=event_id).move_to(EventState.PUBLISHED)


def pause(*, event_id: int) -> bool:
    """Stop all new holds at once; what is held may still be paid. False if it rests already."""
    return bool(Event.objects.filter(pk=event_id, is_paused=False).update(is_paused=True))


def resume(*, event_id: int) -> bool:
    """Let the sale go on. False if it was not paused."""
    return bool(Event.objects.filter(pk=event_id, is_paused=True).update(is_paused=False))


def postpone(*, event_id: int, at: datetime) -> bool:
    """Take the date away; it sells nothing until it has a new one. False if it is so already."""
    return _move(event_id, at, EventState.POSTPONED, came_from={EventState.PUBLISHED})


def reschedule(*, event_id: int, at: datetime) -> bool:
    """Put a postponed event back on the programme, with the date it now has."""
    return _move(event_id, at, EventState.PUBLISHED, came_from={EventState.POSTPONED})


def cancel(*, event_id: int, at: datetime) -> bool:
    """Call the event off, for good. False if it is cancelled already."""
    can_be = {EventState.PUBLISHED, EventState.POSTPONED}
    return _move(event_id, at, EventState.CANCELLED, came_from=can_be)


def _move(event_id: int, at: datetime, state: EventState, *, came_from: set[EventState]) -> bool:
    with transaction.atomic(durable=True):
        # Locked, so that the state that an error names is the one that refused.
        event = Event.objects.select_for_update().get(pk=event_id)
        if event.state == state:
            return False
        if event.state not in came_from:
            raise WrongState(event.state)
        Event.objects.filter(pk=event_id).move_to(state)
        outbox.publish(
            topic=f"events.event_{state}",
            key=f"{event_id} {at.isoformat()}",
            payload={"event_id": event_id},
        )
    return True
