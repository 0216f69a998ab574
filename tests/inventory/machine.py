"""Fans, sweepers and crashes in any order, each step compared with `model` and judged by the audit.

A crash is the end of the database connection before some statement of the step. A lease ends by the
database's own clock.
"""

import inspect
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count

import psycopg
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
)

import inventory.audits
from bookings.models import Booking, BookingState
from bookings.services import checkout, issuing
from events import terms
from events.models import Event, Fare
from inventory import selectors
from inventory.models import AdmissionPool, BlockKind, EventSeat, Hold, HoldState, SeatState
from inventory.services import blocks, cancelling, changing, holds, locks, opening, placing, pools
from inventory.services import fares as fare_services
from inventory.wishes import PoolWish, SeatWish, Wish
from tests import factories
from tests.inventory import asking
from tests.inventory.model import Held, House, Place
from ticketing.kernel import audit

FANS = ["ann", "ben", "cyd"]
LIMIT = 4
# What a wish may name, by position: seats, and pools at each of three fares.
SEATS, POOLS = 4, 6
WISHES = st.dictionaries(
    st.integers(0, SEATS + POOLS - 1), st.integers(1, 2), min_size=1, max_size=2
)
# Before which statement of a step its connection ends; mostly before none.
CRASHES = st.one_of(st.none(), st.none(), st.integers(1, 14))
RULES = inspect.getsource(inventory.audits)
# A live ticket for each line, a live code for each ticket: invariant 7.
TICKETS = """
SELECT line.id FROM bookings_bookingline AS line
JOIN bookings_booking AS booking ON booking.id = line.booking_id
LEFT JOIN bookings_ticket AS ticket ON ticket.line_id = line.id AND ticket.state = 'valid'
LEFT JOIN bookings_credential AS code ON code.ticket_id = ticket.id AND code.voided_at IS NULL
WHERE booking.event_id = %s AND booking.state = %s
GROUP BY line.id HAVING count(code.id) <> %s
"""
# The owners of a seat, one after the other, by their tokens: invariant 13.
FALLEN = """
SELECT move.seat_id FROM (
    SELECT seat_id, fencing_token, lag(fencing_token) OVER (PARTITION BY seat_id ORDER BY id) AS was
    FROM inventory_seatmove
) AS move JOIN inventory_eventseat AS seat ON seat.id = move.seat_id
WHERE seat.event_id = %s AND move.fencing_token < move.was
"""


class Machine(RuleBasedStateMachine):
    granted = Bundle("granted")

    @initialize()
    def open_house(self) -> None:
        # A fault that an earlier house ended with is not this one's.
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE events_event CASCADE")
        event = factories.draft_event(
            rows=1, seats_per_row=SEATS, pool_capacity=5, limit_per_fan=LIMIT
        )
        factories.add_fare(event, "Pair", places=2)
        opening.open_event(event_id=event.pk, at=timezone.now())
        floor = AdmissionPool.objects.get(event=event)
        pools.add(event_id=event.pk, zone_id=floor.zone_id, name="Balcony", capacity=3)
        seats = EventSeat.objects.filter(event=event).order_by("pk")
        rows = AdmissionPool.objects.filter(event=event).order_by("pk")
        fares = Fare.objects.filter(event=event).order_by("rank").values_list("pk", flat=True)
        self.event: Event = event
        self.sale = terms.of(event.pk)
        self.fares = list(fares)
        self.places: list[Place] = [("seat", seat.pk, fares[0]) for seat in seats]
        self.places += [("pool", pool.pk, fare) for pool in rows for fare in fares]
        self.house = House(
            {("seat", seat.pk): 1 for seat in seats}
            | {("pool", pool.pk): pool.capacity for pool in rows},
            {("pool", floor.pk, fares[1]): 2, ("pool", floor.pk, fares[2]): 2},
            LIMIT,
        )
        with transaction.atomic():
            for (_, pool_id, fare_id), most in self.house.caps.items():
                pools.cap_fare(pool_id=pool_id, fare_id=fare_id, capacity=most)
        self.keys = map(str, count())
        self.tokens: dict[int, int] = {}
        self.newest = 0
        self.bookings: dict[Held, Booking] = {}

    @rule(target=granted, fan=st.sampled_from(FANS), wish=WISHES, crash=CRASHES)
    def place(self, fan: str, wish: dict[int, int], crash: int | None):
        return self._place(fan, next(self.keys), self._counted(wish), crash)

    @rule(held=granted, wish=st.none() | WISHES, crash=CRASHES)
    def place_again(self, held: Held, wish: dict[int, int] | None, crash: int | None) -> None:
        """The same key: after Back, after an answer that was lost, or for another wish."""
        self._place(held.fan, held.key, self._counted(wish) if wish else held.asked, crash)

    def _place(self, fan: str, key: str, wish: Counter[Place], crash: int | None):
        said, got = self._try(
            lambda: placing.place(terms=self.sale, owner=fan, key=key, wish=_wish(wish)), crash
        )
        if said == "crashed":
            return multiple()
        before = len(self.house.holds)
        expected, held = self.house.place(fan, key, wish)
        assert said == expected
        if said != "done":
            return multiple()
        if len(self.house.holds) > before:
            held.hold_id = got.hold_id
            self._renew(held, got.fencing_token)
            return held
        assert (got.hold_id, got.fencing_token) == (held.hold_id, held.token)
        return multiple()

    @rule(held=granted, age=st.integers(0, 2), crash=CRASHES)
    def wake(self, held: Held, age: int, crash: int | None) -> None:
        """A browser that froze commits with the token that it knows, perhaps an old one."""
        token = held.tokens[max(-len(held.tokens), -1 - age)]
        said, _ = self._try(lambda: self._confirm(held, token), crash)
        if said != "crashed":
            assert said == self.house.sell(held, token)

    def _confirm(self, held: Held, token: int) -> None:
        with transaction.atomic():
            holds.confirm(hold_id=held.hold_id, fencing_token=token)

    @rule(held=granted, wish=WISHES, crash=CRASHES)
    def change(self, held: Held, wish: dict[int, int], crash: int | None) -> None:
        wanted, before = self._counted(wish), held.owns
        reference = selectors.hold_by_id(held.hold_id).reference
        said, got = self._try(
            lambda: changing.change(
                reference=reference, owner=held.fan, terms=self.sale, wish=_wish(wanted)
            ),
            crash,
        )
        if said == "crashed":
            return
        assert said == self.house.change(held, wanted)
        if said == "done" and wanted != before:
            self._renew(held, got.fencing_token)

    def _renew(self, held: Held, token: int) -> None:
        assert token > self.newest
        held.tokens.append(token)
        self.newest = token

    @rule(held=granted, which=st.integers(0, 3), fare=st.integers(0, 2), crash=CRASHES)
    def change_fare(self, held: Held, which: int, fare: int, crash: int | None) -> None:
        lines = selectors.lines(held.hold_id)
        line, fare_id = lines[which % len(lines)], self.fares[fare]
        reference = selectors.hold_by_id(held.hold_id).reference
        said, _ = self._try(
            lambda: fare_services.change_fares(
                reference=reference, owner=held.fan, terms=self.sale, fares={line.id: fare_id}
            ),
            crash,
        )
        if said != "crashed":
            kind, pk = ("seat", line.seat_id) if line.seat_id else ("pool", line.pool_id or 0)
            old, new = (kind, pk, line.fare_id), (kind, pk, fare_id)
            assert said == self.house.refare(held, old, new, self.sale.places_of(fare_id))

    @rule(which=st.sets(st.integers(0, SEATS - 1), min_size=1, max_size=2), crash=CRASHES)
    def block(self, which: set[int], crash: int | None) -> None:
        seats = {self.places[position][1] for position in which}
        said, _ = self._try(
            lambda: blocks.block(
                event_id=self.event.pk, seat_ids=seats, kind=BlockKind.HOUSE, reason="for the band"
            ),
            crash,
        )
        if said != "crashed":
            assert said == self.house.block(seats)

    @rule(which=st.sets(st.integers(0, SEATS - 1), min_size=1, max_size=2), crash=CRASHES)
    def lift(self, which: set[int], crash: int | None) -> None:
        seats = {self.places[position][1] for position in which}
        said, _ = self._try(
            lambda: blocks.lift(event_id=self.event.pk, seat_ids=seats, why="they walked in"), crash
        )
        if said != "crashed":
            assert said == self.house.lift(seats)

    @rule(held=granted, crash=CRASHES)
    def extend(self, held: Held, crash: int | None) -> None:
        reference = selectors.hold_by_id(held.hold_id).reference
        said, _ = self._try(
            lambda: holds.extend(reference=reference, owner=held.fan, terms=self.sale), crash
        )
        if said != "crashed":
            assert said == ("done" if held.state == "live" else "HoldLost")

    @rule(held=granted, crash=CRASHES)
    def release(self, held: Held, crash: int | None) -> None:
        reference = selectors.hold_by_id(held.hold_id).reference
        said, _ = self._try(lambda: holds.release(reference=reference, owner=held.fan), crash)
        if said != "crashed":
            assert said == "done"
            if held.state in {"live", "lapsed"}:
                held.state = "over"

    @rule(held=granted, crash=CRASHES)
    def pay(self, held: Held, crash: int | None) -> None:
        """Start a booking; whether it is ever finished is another step's affair."""
        view, email = selectors.hold_by_id(held.hold_id), f"{held.fan}@example.org"
        said, booking = self._try(
            lambda: checkout.start(hold=view, name=held.fan, email=email, terms=self.sale), crash
        )
        if said != "crashed":
            assert said == ("done" if held.state == "live" else "HoldLost")
            if said == "done":
                held.is_being_paid = True
                self.bookings[held] = booking

    @rule(held=granted, crash=CRASHES)
    def book(self, held: Held, crash: int | None) -> None:
        """The money is there; facts may be told twice."""
        booking = self.bookings.get(held)
        if booking is None:
            return
        said, _ = self._try(lambda: checkout.confirm(booking=booking), crash)
        if said != "crashed":
            booking.refresh_from_db()
            if said == "done" and held.state == "sold":
                assert booking.state == BookingState.CONFIRMED
            else:
                assert said == self.house.sell(held, booking.fencing_token)
        for _ in range(2):
            with transaction.atomic():
                issuing.issue(booking_id=booking.pk)

    @rule(held=granted, part=WISHES, wrong=st.sampled_from([0, 0, 0, 1]), crash=CRASHES)
    def cancel(self, held: Held, part: dict[int, int], wrong: int, crash: int | None) -> None:
        back, token = self._counted(part) & held.owns, held.token + wrong
        if not back:
            return
        said, _ = self._try(lambda: _cancel(held, back, token), crash)
        if said != "crashed":
            assert said == self.house.cancel(held, back, token)

    @rule(held=granted)
    def lapse(self, held: Held) -> None:
        if held.state == "live":
            asking.lapse(held)
            held.state = "lapsed"

    @rule(limit=st.integers(1, 3), crash=CRASHES)
    def sweep(self, limit: int, crash: int | None) -> None:
        said, _ = self._try(lambda: holds.expire_batch(limit=limit), crash)
        assert said in {"done", "crashed"}

    @rule(held=granted)
    def run_an_old_expiry(self, held: Held) -> None:
        """A sweeper that froze after it had found this hold: it may end this one, and no other."""
        if held.state == "live":
            return
        is_active = Hold.objects.get(pk=held.hold_id).state == HoldState.ACTIVE

        def end() -> None:
            with transaction.atomic():
                locks.holds([held.hold_id])
                holds.end([held.hold_id], HoldState.EXPIRED, locks.clock())

        said, _ = self._try(end, None)
        assert said == ("done" if is_active else "HoldLost")

    @invariant()
    def every_place_is_whose_it_should_be(self) -> None:
        owners = {
            place[1]: held
            for held in self.house.holds
            if held.state in {"live", "sold"}
            for place in held.owns
            if place[0] == "seat"
        }
        lapsed = {held.hold_id: held.state == "lapsed" for held in self.house.holds}
        for seat in EventSeat.objects.filter(event=self.event):
            held = owners.get(seat.pk)
            if held:
                state = SeatState.BOOKED if held.state == "sold" else SeatState.HELD
                assert (seat.state, seat.hold_id) == (state, held.hold_id)
                assert seat.fencing_token == held.token
            elif seat.pk in self.house.blocked:
                assert seat.state == SeatState.BLOCKED
            elif seat.hold_id:
                # Nobody has ended it yet, and nobody needs to.
                assert lapsed[seat.hold_id]
            assert (seat.fencing_token or 0) >= self.tokens.get(seat.pk, 0)
            self.tokens[seat.pk] = seat.fencing_token or 0
        for pool in selectors.pools(self.event.pk):
            assert pool.free == self.house.free("pool", pool.id)
            for fare_id, left in pool.caps.items():
                assert left == self.house.left_at(("pool", pool.id, fare_id))

    @invariant()
    def every_hold_is_as_it_should_be(self) -> None:
        rows = Hold.objects.filter(event=self.event)
        states = {row.pk: row.state for row in rows}
        assert states.keys() == {held.hold_id for held in self.house.holds}
        may_be = {
            "live": {HoldState.ACTIVE},
            "lapsed": {HoldState.ACTIVE, HoldState.EXPIRED},
            "sold": {HoldState.CONFIRMED},
            "over": {HoldState.RELEASED, HoldState.EXPIRED},
        }
        for held in self.house.holds:
            assert states[held.hold_id] in may_be[held.state]
        live = [held.fan for held in self.house.holds if held.state == "live"]
        assert len(live) == len(set(live))

    @invariant()
    def nothing_is_that_may_never_be(self) -> None:
        assert [found for found in audit.run() if found.rule in RULES] == []
        sums = selectors.occupancy([self.event.pk])[self.event.pk]
        assert sums.free + sums.held + sums.booked + sums.blocked == sums.capacity
        assert sums.capacity == sum(self.house.capacities.values())
        assert sums.blocked == len(self.house.blocked)
        assert sums.free == sum(self.house.free(*which) for which in self.house.capacities)
        with connection.cursor() as cursor:
            for state, codes in [(BookingState.CONFIRMED, 1), (BookingState.PENDING, 0)]:
                assert cursor.execute(TICKETS, [self.event.pk, state, codes]).fetchall() == []
            assert cursor.execute(FALLEN, [self.event.pk]).fetchall() == []

    def _counted(self, wish: dict[int, int]) -> Counter[Place]:
        return Counter(
            {
                self.places[position]: 1 if position < SEATS else self._places(position, number)
                for position, number in wish.items()
            }
        )

    def _places(self, position: int, tickets: int) -> int:
        return tickets * self.sale.places_of(self.places[position][2])

    def _try(self, act: Callable[[], object], crash: int | None):
        """Its outcome as a word, and its value; "crashed" if it came to that statement."""
        statements = count(1)

        def die_before(execute, sql, params, many, context):
            if next(statements) == crash:
                context["connection"].connection.execute(
                    "SELECT pg_terminate_backend(pg_backend_pid())"
                )
            return execute(sql, params, many, context)

        try:
            with connection.execute_wrapper(die_before) if crash else nullcontext():
                return "done", act()
        except (psycopg.OperationalError, DatabaseError) as error:
            if crash is None or next(statements) <= crash:
                raise
            note(f"crashed before statement {crash}: {error}")
            connection.close()
            return "crashed", None
        except Exception as refusal:
            return type(refusal).__name__, None


def _wish(counted: Counter[Place]) -> Wish:
    return Wish(
        seats=tuple(SeatWish(pk, fare) for kind, pk, fare in counted if kind == "seat"),
        pools=tuple(
            PoolWish(pk, number, fare)
            for (kind, pk, fare), number in counted.items()
            if kind == "pool"
        ),
    )


def _cancel(held: Held, part: Counter[Place], token: int) -> None:
    with transaction.atomic():
        cancelling.cancel(
            hold_id=held.hold_id,
            fencing_token=token,
            seat_ids=[pk for kind, pk, _ in part if kind == "seat"],
            pool_places={(pk, fare): n for (kind, pk, fare), n in part.items() if kind == "pool"},
            returns_to=None,
        )
