"""Many buyers, and a provider on a bad day: afterwards all money is where it belongs."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple, TypeVar

import pytest
import requests
from django.db import connection
from django.db.models import Sum
from django.utils import timezone

from bookings.models import Booking, BookingState, Ticket
from events.models import Event
from inventory.models import EventSeat, Hold, HoldState
from payments.models import OPEN_STATES, Payment, PaymentState
from payments.services import progress
from tests import box_office, factories
from tests.faults.agreement import assert_everything_agrees, money_at, sent_twice
from tests.faults.buyer import MOMENT, PATIENCE, Buyer
from tests.faults.staff import is_anything_left, let_time_pass, what_is_left
from tests.inventory.asking import lapse
from tests.provider import DECLINED, LocalProvider
from ticketing.kernel.models import OutboxMessage

pytestmark = pytest.mark.django_db(transaction=True)

SEATS_PER_ROW = 20
HOUR = 3600
AT_ONCE = 24
# Every so many-th buyer closes his browser as soon as he has paid.
LEAVING = 3
T = TypeVar("T")
BOOKED = "Your seats are booked"
CALLS = "POST /v1/(checkout/sessions|payment_intents/.*/capture)$"


# Of a hundred buyers, whose coming makes what go wrong: for him or for who asks next.
FAULTS = {
    "timeout_after": (10, 43, 76),
    "timeout_before": (25, 75),
    "drop_webhook": (5, 55),
    "dup_webhook": (30, 80),
}
DECLINING = (3, 23, 50, 63, 83)


class BadDay(NamedTuple):
    buyers: int
    # How long the provider says nothing when it is silent, and how long it is away in the middle.
    silent_seconds: float
    away_seconds: float


DAYS = [
    pytest.param(BadDay(60, silent_seconds=0.5, away_seconds=2), id="60"),
    # Longer than we wait for an answer.
    pytest.param(
        BadDay(1000, silent_seconds=12, away_seconds=20), id="1000", marks=pytest.mark.long
    ),
]


@dataclass(slots=True)
class Said:
    """What the shop and the provider told the fans."""

    statuses: Counter[int] = field(default_factory=Counter)
    # The holds of who paid, and the secrets of bookings whose fans read that all is well.
    paid: list[str] = field(default_factory=list)
    booked: list[str] = field(default_factory=list)
    declined: int = 0


@pytest.fixture
def office(provider, tmp_path):
    with box_office.running(tmp_path, provider, "web", "worker", "ticker", "beat") as office:
        yield office


@pytest.mark.parametrize("day", DAYS)
def test_after_a_bad_day_every_bookings_money_is_where_it_belongs(office, provider, day, capsys):
    event = factories.opened_event(
        rows=2 * day.buyers // SEATS_PER_ROW,
        seats_per_row=SEATS_PER_ROW,
        lease_seconds=HOUR,
        max_lease_seconds=HOUR,
    )
    seats = EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)
    pairs = [list(pair) for pair in zip(seats[::2], seats[1::2], strict=True)]
    connection.close()
    sale = Sale(office.url, event, provider, day)
    said = sale.said

    with ThreadPoolExecutor(AT_ONCE) as crowd:
        buying = [crowd.submit(sale.come, number, pair) for number, pair in enumerate(pairs)]
        wait_until(lambda: len(said.paid) >= day.buyers // 2, buying)
        provider.kill()
        time.sleep(day.away_seconds)
        provider.start()
        for one in buying:
            one.result(timeout=10 * PATIENCE)

    let_time_pass()
    wait_until(lambda: not is_money_on_its_way())
    let_the_leases_end()
    wait_until(lambda: not is_anything_left())

    bookings = list(Booking.objects.all())
    with capsys.disabled():
        print(table(bookings, provider, said))
    confirmed = {booking.secret for booking in bookings if booking.state == BookingState.CONFIRMED}
    assert set(said.booked) <= confirmed
    assert len(confirmed) == len(said.paid) == day.buyers - said.declined
    assert set(Counter(Ticket.objects.values_list("line__seat_id", flat=True)).values()) == {1}
    assert_everything_agrees(bookings, provider, office.mails())
    assert sent_twice(office.mails()) == []


@dataclass(slots=True)
class Sale:
    url: str
    event: Event
    provider: LocalProvider
    day: BadDay
    said: Said = field(default_factory=Said)

    def come(self, number: int, pair: list[int]) -> None:
        for mode, numbers in FAULTS.items():
            if number % 100 in numbers:
                self._plan(mode)
        fan = Buyer(self.url, self.event, self.said.statuses)
        try:
            buy(fan, number, pair, self.said)
        finally:
            fan.close()

    def _plan(self, mode: str) -> None:
        match = CALLS if mode.startswith("timeout") else "checkout.session.completed"
        seconds = self.day.silent_seconds
        patiently(lambda: self.provider.fault(mode, match, seconds=seconds), lambda _: True)


def buy(fan: Buyer, number: int, pair: list[int], said: Said) -> None:
    reference = fan.hold(pair)
    assert reference is not None
    page = patiently(lambda: fan.check_out(reference), lambda page: page.startswith("http"))
    if number % 100 in DECLINING:
        assert patiently(lambda: fan.pay(page, DECLINED), lambda _: True) is None
        said.declined += 1
        return
    way_back = str(patiently(lambda: fan.pay(page), lambda _: True))
    said.paid.append(reference)
    if number % LEAVING:
        booking = way_back.removesuffix("return/")
        fan.come_back(way_back)
        patiently(lambda: fan.come_back(booking).text, lambda text: BOOKED in text)
        said.booked.append(booking.split("/")[2])


def patiently(ask: Callable[[], T], is_good: Callable[[T], bool]) -> T:
    """Ask again while there is no good answer, and while there is none at all."""
    deadline = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < deadline:
        with suppress(requests.ConnectionError):
            if is_good(answer := ask()):
                return answer
        time.sleep(MOMENT)
    raise AssertionError("never came to a good answer")


def wait_until(reached, buying=()):
    deadline = time.monotonic() + 4 * PATIENCE
    while not reached():
        assert time.monotonic() < deadline, what_is_left()
        for one in buying:
            if one.done():
                one.result()
        time.sleep(0.2)


def is_money_on_its_way():
    """Of who paid; those who were declined keep their seats until the lease ends."""
    open_ones = Payment.objects.filter(state__in=[PaymentState.CREATED, PaymentState.AUTHORIZED])
    return open_ones.exists() or OutboxMessage.objects.filter(done_at=None).exists()


def let_the_leases_end():
    for hold in Hold.objects.filter(state=HoldState.ACTIVE):
        lapse(SimpleNamespace(hold_id=hold.pk))
    open_ones = Payment.objects.filter(state__in=OPEN_STATES)
    open_ones.update(deadline_at=timezone.now() - 2 * progress.STRAGGLER)
    let_time_pass()


def table(bookings, provider, said):
    """What we say and what the provider says, in the currency's small units."""
    money = money_at(provider, min(booking.created_at for booking in bookings))
    ours = Payment.objects.aggregate(captured=Sum("captured_minor"), refunded=Sum("refunded_minor"))
    confirmed = [booking for booking in bookings if booking.state == BookingState.CONFIRMED]
    with_money = {reference for reference, its in money.items() if its.kept or its.reserved}
    rows = {
        "buyers": len(bookings),
        "declined": said.declined,
        "answers to come again": said.statuses[503],
        "bookings confirmed": len(confirmed),
        "sold, by bookings": sum(booking.amount_minor for booking in confirmed),
        "captured, by us": ours["captured"],
        "captured, by the provider": sum(its.captured for its in money.values()),
        "refunded, by us": ours["refunded"],
        "refunded, by the provider": sum(its.refunded for its in money.values()),
        "reserved still": sum(its.reserved for its in money.values()),
        "confirmed without money": len({one.reference for one in confirmed} - with_money),
        "money without a booking": len(with_money - {one.reference for one in confirmed}),
        "tickets": Ticket.objects.count(),
        "seats with two tickets": Ticket.objects.count() - tickets_seats(),
    }
    return "\n".join(["", *(f"{name:<28}{number:>12,}" for name, number in rows.items())])


def tickets_seats():
    return Ticket.objects.values("line__seat_id").distinct().count()
