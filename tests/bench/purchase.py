"""Whole purchases: hold, pay at the local provider, come back, be booked, have tickets, be charged.

Everything that a purchase needs runs: web, worker, ticker, and the provider with its webhooks. A
turn ends when the last ticket is there and the last payment is captured.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from django.urls import reverse

from bookings.models import Ticket
from payments.models import Payment, PaymentState
from tests.bench import buyers, door, hall
from tests.bench.cpu import Meter
from tests.bench.errors import BenchError
from tests.bench.hall import Hall
from tests.bench.office import Office
from tests.bench.turns import Figure, Turn, figure
from ticketing.embedded import demo

RUNS = 5
# For each run, and for the one that is thrown away; each buys two seats.
BUYERS = 200
SEATS = 2_500
CLIENTS = 8
# For the last ticket and the last capture, after the last buyer was told that he is booked.
PATIENCE_SECONDS = 60


def measure(office: Office) -> Iterator[Figure]:
    house = hall.opened(seats=SEATS)
    with office.with_provider() as whole:
        # What ran before the first turn is thrown away.
        turns = [_buy(whole, house, number) for number in range(RUNS + 1)][1:]
    found = figure("purchase.http", turns)
    yield found
    cost = median(turn.cost for turn in turns) * 1000
    yield replace(found, name="purchase.cpu_ms", value=cost, unit="ms")


def _buy(office: Office, house: Hall, number: int) -> Turn:
    """Each pair of seats is bought once: what is sold stays sold."""
    first = number * BUYERS
    asks = [house.ask_for(pair) for pair in range(first, first + BUYERS)]
    meter, began = Meter(office.parts), time.perf_counter()
    party = door.Party(
        buyers.Errand(
            host=demo.HOST,
            port=office.port,
            provider_port=int(office.values["STRIPE_API_BASE"].rpartition(":")[2]),
            connections=CLIENTS,
            action=reverse("bookings:place", args=[house.event.slug]),
            asks=asks,
        )
    )
    seen = party.come_back()
    _wait_until_all_is_done(first + BUYERS)
    return Turn(BUYERS, time.perf_counter() - began, seen.won_ms, meter.read())


def _wait_until_all_is_done(purchases: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        captured = Payment.objects.filter(state=PaymentState.CAPTURED).count()
        tickets = Ticket.objects.count()
        if (captured, tickets) == (purchases, 2 * purchases):
            return
        time.sleep(0.05)
    raise BenchError(f"{purchases} were booked; {captured} were captured, {tickets} tickets made")
