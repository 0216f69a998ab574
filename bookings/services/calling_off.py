"""An event that is called off: every booking of it is cancelled, and all of its money goes back.

The work that is left is what is still sold of a cancelled event. So it needs no list of its own: it
goes on after a crash where it was, any number of workers may share it, and a booking that was paid
while the event was called off is cancelled like the others.
"""

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from bookings.models import Booking, BookingState, Cause
from bookings.services import cancellations
from events.models import EventState
from ticketing.kernel.acting import ITSELF, Actor

logger = logging.getLogger(__name__)

WHY = "the event was called off"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the cancelling of an event's bookings is."""

    cancelled: int
    sold: int
    # Started and not paid yet: whatever becomes of them.
    pending: int

    @property
    def is_done(self) -> bool:
        return not self.sold and not self.pending


def cancel_batch(
    *, at: datetime, limit: int, event_id: int | None = None, by: Actor = ITSELF
) -> int:
    """Cancel up to `limit` bookings of cancelled events, or of this one; returns how many were.

    Everything that was paid for what is still sold goes back, fees included; each buyer hears of it
    once, by the fact of his cancellation. One that cannot be cancelled holds up no other.
    """
    wish = cancellations.Wish(Cause.CALLED_OFF, by, WHY, in_full=True)
    return sum(_cancel(booking_id, wish, at) for booking_id in _claim(limit, event_id))


def progress(event_id: int) -> Progress:
    states = Counter(Booking.objects.filter(event_id=event_id).values_list("state", flat=True))
    return Progress(
        cancelled=states[BookingState.CANCELLED],
        sold=states[BookingState.CONFIRMED],
        pending=states[BookingState.PENDING],
    )


def _claim(limit: int, event_id: int | None) -> list[int]:
    """Bookings that nobody works on at this moment."""
    sold = Booking.objects.filter(state=BookingState.CONFIRMED, event__state=EventState.CANCELLED)
    if event_id is not None:
        sold = sold.filter(event_id=event_id)
    with transaction.atomic(durable=True):
        rows = sold.order_by("pk").select_for_update(of=("self",), skip_locked=True)
        return list(rows.values_list("pk", flat=True)[:limit])


def _cancel(booking_id: int, wish: cancellations.Wish, at: datetime) -> bool:
    try:
        made = cancellations.cancel_what_is_left(booking_id=booking_id, wish=wish, at=at)
    except Exception:
        logger.exception("booking %s of a cancelled event cannot be cancelled", booking_id)
        return False
    return made is not None
