"""The life of an event on the programme: announced, opened, paused, postponed, cancelled.

Whether anything may be sold follows from here and from the on-sales; which places there are is
inventory's.
"""

from datetime import datetime

from events.models import Event, EventState
from ticketing.kernel import transactions


def mark_opened(*, event_id: int, at: datetime) -> None:
    """Say that the event's places exist, and put it on the programme if it is still a draft.

    Joins the caller's transaction: the one that makes the places.
    """
    transactions.require()
    Event.objects.filter(pk=event_id, opened_at=None).update(opened_at=at)
    Event.objects.filter(pk=event_id).move_to(EventState.PUBLISHED)
