"""Giving back what was sold. Whoever cancels says where the places go."""

from collections.abc import Collection, Mapping

from django.db.models import F, Value

from inventory.errors import HoldLost
from inventory.models import Hold, HoldLine, HoldState, SeatState
from inventory.services import counts, locks, returns
from ticketing.kernel import transactions


def cancel(
    *,
    hold_id: int,
    fencing_token: int,
    seat_ids: Collection[int] = (),
    pool_places: Mapping[tuple[int, int], int] | None = None,
    returns_to: int | None,
) -> None:
    """Give back these seats of a sold hold, and so many places of each (pool, fare).

    They go to everybody, or into the block `returns_to`. Joins the caller's transaction, since the
    tickets are revoked with it. Raises HoldLost, and changes nothing, unless the hold is sold,
    carries this token, and still has all of that, in whole tickets.
    """
    transactions.require()
    [hold] = locks.holds([hold_id])
    if hold.state != HoldState.CONFIRMED or hold.fencing_token != fencing_token:
        raise HoldLost(f"hold {hold_id} is not sold under this token")
    locks.seats_of([hold_id])
    Hold.objects.filter(pk=hold_id).update(returns_to=returns_to)
    freed = returns.seats(hold_ids=[hold_id], state=SeatState.BOOKED, only=seat_ids)
    if freed != len(set(seat_ids)):
        raise HoldLost(f"hold {hold_id} does not own all these seats")
    HoldLine.objects.filter(hold_id=hold_id, seat__in=seat_ids).update(cancelled=1)
    if pool_places:
        locks.pools_of([hold_id])
        for (pool_id, fare_id), places in pool_places.items():
            _cancel_pool_places(hold_id, pool_id, fare_id, places)


def _cancel_pool_places(hold_id: int, pool_id: int, fare_id: int, places: int) -> None:
    line = HoldLine.objects.filter(hold_id=hold_id, pool_id=pool_id, fare_id=fare_id)
    still_sold = line.filter(places__gte=F("cancelled") + places).annotate(
        broken=Value(places) % F("admits")
    )
    if places < 1 or not still_sold.filter(broken=0).update(cancelled=F("cancelled") + places):
        raise HoldLost(f"hold {hold_id} has not so many places of pool {pool_id}")
    counts.cancel(pool_id=pool_id, fare_id=fare_id, places=places)
