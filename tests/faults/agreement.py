"""Whether seats, money at the provider, tickets and mails tell the same of every booking."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from bookings.models import Booking, BookingState, LapseReason, Ticket, TicketState
from inventory.models import EventSeat, SeatState
from payments.models import Payment
from tests.provider import LocalProvider
from ticketing.kernel import audit

MESSAGE_ID = re.compile(r"^Message-ID: <(.+)@", re.MULTILINE)
# The provider counts in whole seconds, on its own clock.
A_MOMENT = timedelta(seconds=5)


@dataclass(slots=True)
class Money:
    """What the provider has of one booking, over all of its tries."""

    charges: int = 0
    reserved: int = 0
    captured: int = 0
    refunded: int = 0

    @property
    def kept(self) -> int:
        return self.captured - self.refunded


def money_at(provider: LocalProvider, since: datetime) -> dict[str, Money]:
    """By the reference of a booking, what the provider itself says."""
    api = provider.client(read_timeout=60).v1
    recent = {"created": {"gte": int((since - A_MOMENT).timestamp())}, "limit": 100}
    money: dict[str, Money] = {}
    references: dict[str, str] = {}
    for intent in api.payment_intents.list(recent).auto_paging_iter():
        reference, _, _ = intent.metadata["reference"].rpartition("-")
        references[intent.id] = reference
        money.setdefault(reference, Money()).reserved += intent.amount_capturable
    for charge in api.charges.list(recent).auto_paging_iter():
        if charge.paid:
            of = money[references[charge.payment_intent]]
            of.charges += 1
            of.captured += charge.amount_captured
            # What was reserved and never taken is called refunded as well when it is let go.
            of.refunded += charge.amount_refunded if charge.captured else 0
    return money


def assert_everything_agrees(
    bookings: Iterable[Booking], provider: LocalProvider, mails: Iterable[str]
) -> None:
    """Nothing is doubled and nothing is lost, of any booking; nobody's money is on its way."""
    bookings = list(bookings)
    began = min((booking.created_at for booking in bookings), default=timezone.now())
    money = money_at(provider, began)
    for booking in bookings:
        its = money.get(booking.reference, Money())
        is_confirmed = booking.state == BookingState.CONFIRMED
        lines = booking.lines.count()
        assert its.reserved == 0, (booking, its)
        assert its.kept == (booking.amount_minor if is_confirmed else 0), (booking, its)
        assert ours_of(booking) == (its.captured, its.refunded), (booking, its)
        assert its.charges == 1 or not is_confirmed, (booking, its)
        assert seats_of(booking) == (lines if is_confirmed else 0), booking
        assert tickets_of(booking) == (lines if is_confirmed else 0), booking
    assert set(MESSAGE_ID.findall("\n".join(mails))) == {
        f"{kind}.{booking.reference}" for booking in bookings for kind in mails_for(booking)
    }
    assert list(audit.run()) == []


def ours_of(booking: Booking) -> tuple[int, int]:
    """What we believe was captured and given back, over all tries."""
    tries = Payment.objects.filter(reference__startswith=f"{booking.reference}-")
    sums = tries.aggregate(
        captured=Coalesce(Sum("captured_minor"), 0), refunded=Coalesce(Sum("refunded_minor"), 0)
    )
    return sums["captured"], sums["refunded"]


def seats_of(booking: Booking) -> int:
    owned = EventSeat.objects.filter(hold_id__in={booking.hold_id, booking.first_hold_id})
    assert not owned.exclude(state=SeatState.BOOKED).exists(), booking
    return owned.count()


def tickets_of(booking: Booking) -> int:
    tickets = Ticket.objects.filter(line__booking=booking)
    assert not tickets.exclude(state=TicketState.VALID).exists(), booking
    per_line = Counter(tickets.values_list("line_id", flat=True))
    assert set(per_line.values()) <= {1}, booking
    return len(per_line)


def mails_for(booking: Booking) -> list[str]:
    if booking.state == BookingState.CONFIRMED:
        return ["confirmed"]
    return ["lapsed"] if booking.lapse_reason == LapseReason.LATE else []


def sent_twice(mails: Iterable[str]) -> list[str]:
    counts = Counter(MESSAGE_ID.findall("\n".join(mails)))
    return [mail for mail, number in counts.items() if number > 1]
