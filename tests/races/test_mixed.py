"""Everything at once over seats and pools: fans, staff and sweepers with all their verbs."""

import random
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import pytest
from django.db import OperationalError, transaction

from events import terms
from inventory.errors import (
    AlreadyHolding,
    BadWish,
    CapTooLow,
    HoldLost,
    LimitReached,
    NotFree,
    PlacesTaken,
)
from inventory.models import AdmissionPool, BlockKind, EventSeat, HoldLine, SeatState
from inventory.services import blocks, cancelling, changing, counts, fares, holds, placing, pools
from inventory.services.grants import Granted
from inventory.wishes import PoolWish, SeatWish, Wish
from tests import factories
from tests.inventory.asking import confirm, lapse
from tests.races.rivals import race
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)
SEATS, STEPS, PEOPLE = 10, 60, 6
REFUSED = (AlreadyHolding, BadWish, HoldLost, LimitReached, NotFree, PlacesTaken)


@pytest.fixture
def event():
    """Ten seats and three floors of ten; half of one may be children's."""
    event = factories.opened_event(rows=1, seats_per_row=SEATS, pool_capacity=10)
    floor = AdmissionPool.objects.get(event=event)
    for name in ("Left", "Right"):
        pools.add(event_id=event.pk, zone_id=floor.zone_id, name=name, capacity=10)
    with transaction.atomic():
        child = event.fares.get(name="Child").pk
        pools.cap_fare(pool_id=floor.pk, fare_id=child, capacity=5)
    return event


@dataclass
class Person:
    """Takes one random step after the other, as a fan, as staff, or as the sweep."""

    event_id: int
    chance: random.Random
    has: Granted | None = None

    def live(self):
        self.sale = terms.of(self.event_id)
        self.owner = f"fan {self.chance.random()}"
        self.seats = list(EventSeat.objects.values_list("pk", flat=True))
        self.pools = list(AdmissionPool.objects.values_list("pk", flat=True))
        self.fares = sorted({fare for _, fare in self.sale.rates})
        steps = [self.place, self.place, self.change, self.change, self.swap_fares, self.let_go]
        steps += [self.lapse, self.expire, self.buy_and_cancel, self.block_and_lift, self.cap]
        for _ in range(STEPS):
            with suppress(*REFUSED):
                self.chance.choice(steps)()
        with suppress(*REFUSED):
            self.let_go()

    def wish(self):
        floors = self.chance.sample(self.pools, self.chance.randint(1, len(self.pools)))
        return Wish(
            seats=tuple(SeatWish(seat) for seat in self.chance.sample(self.seats, 2)),
            pools=tuple(
                PoolWish(floor, self.chance.randint(1, 2), self.chance.choice(self.fares))
                for floor in floors
            ),
        )

    def place(self):
        key = str(self.chance.random())
        self.has = placing.place(terms=self.sale, owner=self.owner, key=key, wish=self.wish())

    def change(self):
        self.has = changing.change(wish=self.wish(), terms=self.sale, **self.mine)

    def swap_fares(self):
        lines = HoldLine.objects.filter(hold__reference=self.mine["reference"])
        wanted = {line: self.chance.choice(self.fares) for line in lines.values_list("pk", flat=1)}
        fares.change_fares(terms=self.sale, fares=wanted, **self.mine)

    def let_go(self):
        holds.release(**self.mine)

    def lapse(self):
        if self.has:
            lapse(self.has)

    def expire(self):
        holds.expire_batch(limit=10)

    def buy_and_cancel(self):
        has = self.mine and self.has
        confirm(has)
        lines = list(HoldLine.objects.filter(hold_id=has.hold_id))
        with transaction.atomic():
            cancelling.cancel(
                hold_id=has.hold_id,
                fencing_token=has.fencing_token,
                seat_ids=[line.seat_id for line in lines if line.seat_id],
                pool_places={
                    (line.pool_id, line.fare_id): line.places for line in lines if line.pool_id
                },
                returns_to=None,
            )

    def block_and_lift(self):
        wanted = self.chance.sample(self.seats, 2)
        made = blocks.block(
            event_id=self.event_id, seat_ids=wanted, kind=BlockKind.HOUSE, reason="a guest"
        )
        blocks.lift_block(block_id=made, why="no guest")

    def cap(self):
        with suppress(CapTooLow), transaction.atomic():
            pools.cap_fare(
                pool_id=self.chance.choice(self.pools),
                fare_id=self.chance.choice(self.fares),
                capacity=self.chance.randint(4, 8),
            )

    @property
    def mine(self):
        if self.has is None:
            raise HoldLost("nothing yet")
        return {"reference": self.has.reference, "owner": self.owner}


def _live_together(event):
    people = [Person(event.pk, random.Random()) for _ in range(PEOPLE)]
    return [each.refusal for each in race([partial(person.live) for person in people])]


def test_nobody_meets_an_error_of_the_database_and_every_place_is_counted(event):
    assert _live_together(event) == [None] * PEOPLE

    assert list(audit.run()) == []
    while holds.expire_batch(limit=100):
        pass
    assert set(EventSeat.objects.values_list("state", flat=True)) == {SeatState.AVAILABLE}
    assert set(AdmissionPool.objects.values_list("held", "booked")) == {(0, 0)}


def test_pools_counted_in_any_order_do_deadlock(event, monkeypatch):
    """The control of the one order among pools."""
    monkeypatch.setattr(
        counts, "sorted", lambda found: random.sample(list(found), len(found)), raising=False
    )

    for _ in range(20):
        if any(isinstance(refusal, OperationalError) for refusal in _live_together(event)):
            return
    pytest.fail("no deadlock was seen in twenty rounds")
