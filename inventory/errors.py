"""Why inventory said no. An error carries facts; the door that shows it finds the words."""

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from inventory.standing import Standing


class BadWish(Exception):
    """The wish itself cannot be granted to anybody, whatever is free."""


class EmptyWish(BadWish):
    """No seat and no place was asked for."""


class RepeatedPlaces(BadWish):
    """A seat, or a pool at one fare, stands twice in the wish."""


class UnknownPlaces(BadWish):
    """Seats or pools that this event does not have."""

    def __init__(self, *, seat_ids: Collection[int] = (), pool_ids: Collection[int] = ()) -> None:
        super().__init__(f"not of this event: seats {sorted(seat_ids)}, pools {sorted(pool_ids)}")
        self.seat_ids = frozenset(seat_ids)
        self.pool_ids = frozenset(pool_ids)


class NoSuchPrice(BadWish):
    """The fare is not sold in that zone."""

    def __init__(self, *, zone_id: int, fare_id: int | None) -> None:
        super().__init__(f"no price for zone {zone_id} and fare {fare_id}")
        self.zone_id = zone_id
        self.fare_id = fare_id


class BrokenTickets(BadWish):
    """A ticket of this fare takes several places, and the wish is not for whole tickets."""

    def __init__(self, *, fare_id: int, admits: int, places: int) -> None:
        super().__init__(f"fare {fare_id} takes {admits} places each, not {places}")
        self.fare_id = fare_id
        self.admits = admits
        self.places = places


class SaleClosed(Exception):
    """The event does not sell at this moment; `opens_at` says when it will, if it will."""

    def __init__(self, opens_at: datetime | None = None) -> None:
        super().__init__("the sale is not open")
        self.opens_at = opens_at


class AccessNeeded(SaleClosed):
    """A presale runs, and this fan carries no code of it; at `opens_at` nobody needs one."""


class AccessUsedUp(Exception):
    """As many live holds and bookings go by this presale code as may: nothing was held."""

    def __init__(self, code_id: int) -> None:
        super().__init__(f"presale code {code_id} is used up")
        self.code_id = code_id


class LimitReached(Exception):
    """The fan would hold and own more places than one person may."""

    def __init__(self, *, limit: int, owned: int, asked: int) -> None:
        super().__init__(f"limit {limit}, has {owned}, asked for {asked}")
        self.limit = limit
        self.owned = owned
        self.asked = asked


class PlacesTaken(Exception):
    """Somebody else has one of these: nothing was held."""

    def __init__(
        self,
        *,
        seat_ids: Collection[int] = (),
        pool_ids: Collection[int] = (),
        fare_ids: Collection[int] = (),
    ) -> None:
        said = f"seats {sorted(seat_ids)}, pools {sorted(pool_ids)}, fares {sorted(fare_ids)}"
        super().__init__(f"taken: {said}")
        self.seat_ids = frozenset(seat_ids)
        self.pool_ids = frozenset(pool_ids)
        # Fares whose cap is reached, where the pool itself has places left.
        self.fare_ids = frozenset(fare_ids)


class NotFree(PlacesTaken):
    """Some seats that shall be blocked are held, sold, in a block, or of another event."""

    def __init__(self, standing: "Standing") -> None:
        super().__init__(seat_ids=standing.not_free)
        self.standing = standing


class NotBlocked(Exception):
    """Some of the seats that shall be lifted are in no block: nothing was lifted."""

    def __init__(self, seat_ids: Collection[int]) -> None:
        super().__init__(f"in no block: {sorted(seat_ids)}")
        self.seat_ids = frozenset(seat_ids)


class AlreadyHolding(Exception):
    """The fan has another live hold at this event: continue with it or change it."""

    def __init__(self, reference: UUID) -> None:
        super().__init__(f"already holds {reference}")
        self.reference = reference


class HoldEnded(Exception):
    """The key named a hold that is over: a new wish takes a new key."""

    def __init__(self, reference: UUID) -> None:
        super().__init__(f"hold {reference} is over")
        self.reference = reference


class HoldLost(Exception):
    """The hold is over, lapsed, or carries another token: its places may be somebody else's."""


class PaymentStarted(Exception):
    """The payment of this hold has begun: its amount can no longer change."""


class CapTooLow(Exception):
    """More places than that are held or booked at the fare already."""

    def __init__(self, taken: int) -> None:
        super().__init__(f"{taken} places are held or booked at this fare")
        self.taken = taken


class OpeningRefused(Exception):
    """The event cannot be opened for sale; each reason says what to mend."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
