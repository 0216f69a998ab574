"""What an event brought in: its bookings, and what the ledger says became of their money.

Sums are by currency and never across: the provider may pay out in another one than fans pay in.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from bookings.models import Booking, BookingState
from payments import selectors as payments
from payments.selectors import Totals
from ticketing.kernel.money import Money
from ticketing.kernel.spreadsheets import Cell

SOLD = {BookingState.CONFIRMED, BookingState.CANCELLED}


@dataclass(frozen=True, slots=True)
class Row:
    """One payment of a booking, and its money in one currency."""

    booking: Booking
    money: Totals
    # Whether the booking was sold for this payment, and not for another try or not at all.
    is_sold: bool

    @property
    def sold_minor(self) -> int:
        own = self.is_sold and self.money.currency == self.booking.currency
        return self.booking.amount_minor if own else 0

    @property
    def is_explained(self) -> bool:
        """What was sold was once reserved, to the last cent."""
        return not self.sold_minor or self.money.authorized_minor == self.sold_minor


@dataclass(frozen=True, slots=True)
class Sums:
    """One currency of a settlement; everything but `net` is told as a positive figure."""

    sold: Money
    # Of what was sold: taken, and reserved but not taken yet.
    gross: Money
    open: Money
    # Taken for seats that were gone; it goes back and is among `refunded`.
    late: Money
    refunded: Money
    fees: Money
    disputed: Money

    @property
    def net(self) -> Money:
        return self.gross + self.late - self.refunded - self.fees - self.disputed


@dataclass(frozen=True, slots=True)
class Settlement:
    at: datetime
    rows: list[Row]

    @property
    def sums(self) -> list[Sums]:
        by_currency: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            by_currency[row.money.currency].append(row)
        return [_sums(currency, rows) for currency, rows in sorted(by_currency.items())]

    @property
    def unexplained(self) -> list[Row]:
        """Bookings whose frozen amount is not what the ledger says was reserved for them."""
        return [row for row in self.rows if not row.is_explained]


def of_event(event_id: int, *, at: datetime) -> Settlement:
    """The settlement of an event as it stands now, a row for each payment that moved money."""
    bookings = list(Booking.objects.filter(event_id=event_id).order_by("pk"))
    references = chain.from_iterable(booking.payment_references for booking in bookings)
    money: dict[str, list[Totals]] = defaultdict(list)
    for totals in payments.totals(list(references)):
        money[totals.reference.rpartition("-")[0]].append(totals)
    rows = chain.from_iterable(_rows(booking, money[booking.reference]) for booking in bookings)
    return Settlement(at, list(rows))


def table(settlement: Settlement) -> Iterator[list[Cell]]:
    """The rows as a spreadsheet has them, in whole units of their currency."""
    yield [
        "Booking",
        "Name",
        "State",
        "Confirmed",
        "Payment",
        "Currency",
        "Sold for",
        "Reserved",
        "Taken",
        "Given back",
        "Provider's fees",
        "Disputed",
        "Net",
    ]
    for row in settlement.rows:
        money, confirmed = row.money, row.booking.confirmed_at
        figures = [
            row.sold_minor,
            money.reserved_minor,
            money.captured_minor,
            money.refunded_minor,
            money.fees_minor,
            money.disputed_minor,
            money.net_minor,
        ]
        yield [
            row.booking.reference,
            row.booking.name,
            row.booking.get_state_display(),
            confirmed.isoformat(timespec="seconds") if confirmed else "",
            money.reference,
            money.currency,
            *(Money(minor, money.currency).decimal for minor in figures),
        ]


def _rows(booking: Booking, money: list[Totals]) -> Iterator[Row]:
    paid = booking.payment_reference if booking.state in SOLD else ""
    # What is free, or sold and not even reserved, has a row as well.
    if paid and not any(totals.reference == paid for totals in money):
        money = [Totals(paid, booking.currency), *money]
    for totals in money:
        yield Row(booking, totals, is_sold=totals.reference == paid)


def _sums(currency: str, rows: list[Row]) -> Sums:
    def add(minors: Iterator[int]) -> Money:
        return Money(sum(minors), currency)

    sold = [row for row in rows if row.is_sold]
    return Sums(
        sold=add(row.sold_minor for row in sold),
        gross=add(row.money.captured_minor for row in sold),
        open=add(row.money.reserved_minor for row in sold),
        late=add(row.money.captured_minor for row in rows if not row.is_sold),
        refunded=add(row.money.refunded_minor for row in rows),
        fees=add(row.money.fees_minor for row in rows),
        disputed=add(row.money.disputed_minor for row in rows),
    )
