"""What a fan asks for: seats by name, or places of a pool by number. Pure."""

from dataclasses import dataclass

from inventory.errors import EmptyWish, RepeatedPlaces
from ticketing.kernel import idempotency


@dataclass(frozen=True, slots=True, order=True)
class SeatWish:
    seat_id: int
    # None means the event's first fare.
    fare_id: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class PoolWish:
    pool_id: int
    places: int
    fare_id: int | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """Everything of one hold; `seats` and `pools` in any order, each place named once."""

    seats: tuple[SeatWish, ...] = ()
    pools: tuple[PoolWish, ...] = ()

    @property
    def seat_ids(self) -> list[int]:
        return sorted(wish.seat_id for wish in self.seats)

    @property
    def pool_ids(self) -> list[int]:
        return sorted({wish.pool_id for wish in self.pools})

    @property
    def places(self) -> int:
        return len(self.seats) + sum(wish.places for wish in self.pools)

    def check(self) -> None:
        """Raise EmptyWish or RepeatedPlaces if no event could grant this."""
        if (not self.seats and not self.pools) or any(wish.places < 1 for wish in self.pools):
            raise EmptyWish("ask for one place or more")
        named = [(wish.pool_id, wish.fare_id) for wish in self.pools]
        if len(set(self.seat_ids)) < len(self.seats) or len(set(named)) < len(named):
            raise RepeatedPlaces("each seat, and each pool at one fare, may be named once")

    def beside(self, other: "Wish", *, priced_as: "Wish") -> "Wish":
        """Both together; seats that `priced_as` has as well keep the fare that they have there."""
        fares = {seat.seat_id: seat.fare_id for seat in priced_as.seats}
        seats = (
            SeatWish(each.seat_id, fares.get(each.seat_id, each.fare_id)) for each in self.seats
        )
        return Wish(seats=(*other.seats, *seats), pools=(*other.pools, *self.pools))

    def fingerprint(self, event_id: int) -> str:
        return idempotency.fingerprint(
            event=event_id,
            seats=[[wish.seat_id, wish.fare_id] for wish in sorted(self.seats, key=_seat)],
            pools=[[w.pool_id, w.fare_id, w.places] for w in sorted(self.pools, key=_pool)],
        )


def _seat(wish: SeatWish) -> int:
    return wish.seat_id


def _pool(wish: PoolWish) -> tuple[int, int]:
    return wish.pool_id, wish.fare_id or 0
