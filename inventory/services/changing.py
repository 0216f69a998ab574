"""Changing a live hold: other seats and places, all of them or none, under a new token."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from events.terms import Terms
from inventory import gate, selectors
from inventory.errors import HoldLost, LimitReached, PaymentStarted, RepeatedPlaces
from inventory.models import Hold, HoldLine, HoldState, SeatState
from inventory.services import counts, grants, holds, judging, locks, returns
from inventory.services.grants import Granted, Line
from inventory.services.judging import Ask, Locked, Look
from inventory.wishes import Wish


def change(
    *,
    reference: UUID,
    owner: str,
    terms: Terms,
    wish: Wish,
    also: str | None = None,
    at: datetime | None = None,
) -> Granted:
    """Let the fan's live hold own exactly the places of `wish`; asking twice changes nothing more.

    What he keeps keeps its price and the lease its end. The hold gets a new token, so that what
    began with the old one, in another tab perhaps, cannot go on. `also` is another name of his,
    whose places count as well. Places are given back whether the sale is open or not. Raises
    HoldLost, PaymentStarted once the amount is frozen, or what `place` raises; then nothing has
    changed.
    """
    wish.check()
    hold = Hold.objects.filter(
        reference=reference, owner=owner, event_id=terms.event_id, state=HoldState.ACTIVE
    ).first()
    if hold is None:
        raise HoldLost("no such hold of this fan, or it is over")
    # Else a wish without measure would lock half the hall before it is refused.
    if wish.places > max(terms.limit_per_fan, selectors.places_of(hold.pk)):
        raise LimitReached(limit=terms.limit_per_fan, owned=0, asked=wish.places)
    ask = Ask(terms, owner, hold.idempotency_key, wish, hold.returns_to_id, at, also)
    with gate.claimed(event_id=ask.event_id, seat_ids=wish.seat_ids, owner=owner, key=ask.key):
        return _change(hold.pk, ask)


def _change(hold_id: int, ask: Ask) -> Granted:
    with transaction.atomic(durable=True):
        look = judging.look(ask)
        suspects = {hold_id, *look.suspects, *judging.lapsed_in_pools(ask)}
        locked = judging.lock(ask, suspects)
        hold = locked.holds[hold_id]
        if not hold.is_live(locked.at):
            raise HoldLost(f"hold {hold_id} is over")
        if hold.payment_started_at:
            raise PaymentStarted(hold.reference)
        return _rewrite(hold, ask, look, locked)


def _rewrite(hold: locks.LockedHold, ask: Ask, look: Look, locked: Locked) -> Granted:
    wish = ask.wish
    old = list(HoldLine.objects.filter(hold_id=hold.id))
    kept, new = _split(old, wish, ask.terms)
    # Who only gives places back needs no sale that is open, and is within no worse a limit.
    lines = _added(hold.id, new, ask, look, locked) if new.places else []
    if not lines and kept == {line.pk: line.places for line in old}:
        return Granted(hold.id, hold.reference, hold.fencing_token, hold.expires_at)
    HoldLine.objects.filter(hold_id=hold.id).exclude(pk__in=kept).delete()
    for line in old:
        if kept.get(line.pk, line.places) != line.places:
            HoldLine.objects.filter(pk=line.pk).update(places=kept[line.pk])

    owned = {seat.id for seat in locked.seats if seat.hold_id == hold.id}
    given_up = owned - set(wish.seat_ids)
    if given_up:
        returns.seats(hold_ids=[hold.id], state=SeatState.HELD, only=given_up)
    granted = grants.changed_hold(
        hold_id=hold.id,
        channel=hold.returns_to_id,
        lines=lines,
        seat_ids=wish.seat_ids,
    )
    more = grants.pool_places(lines)
    for line in old:
        if line.pool_id:
            more[line.pool_id, line.fare_id] += kept.get(line.pk, 0) - line.places
    counts.take(event_id=hold.event_id, places=more)
    gate.keep_on_commit(
        event_id=hold.event_id,
        owner=hold.owner,
        key=hold.idempotency_key,
        seat_ids=wish.seat_ids,
        until=granted.expires_at,
    )
    return granted


def _added(hold_id: int, new: Wish, ask: Ask, look: Look, locked: Locked) -> list[Line]:
    """The lines of what is asked for anew, once it is judged as placing judges it."""
    judged = judging.judge(ask, locked, kept_by=hold_id)
    judging.check_limit(ask, look.mine, judged, kept_by=hold_id)
    holds.take_over(judged.lapsed, judged.now)
    return grants.priced(ask.terms, new, judged.zones)


def _split(old: list[HoldLine], wish: Wish, terms: Terms) -> tuple[dict[int, int], Wish]:
    """The lines that stay as they were priced, with their places, and what has to be priced anew.

    A fan who names no fare for a seat he has keeps that, too. Fewer places of a pool cost what they
    cost; more of them are priced together.
    """
    seats = {line.seat_id: line for line in old if line.seat_id}
    pools = {(line.pool_id, line.fare_id): line for line in old if line.pool_id}
    kept: dict[int, int] = {}
    new_seats, new_pools = [], []
    asked = {(pool.pool_id, pool.fare_id or terms.first_fare_id or 0): pool for pool in wish.pools}
    if len(asked) < len(wish.pools):
        raise RepeatedPlaces("the first fare was asked for by its name as well")
    for seat in wish.seats:
        line = seats.get(seat.seat_id)
        if line and seat.fare_id in {None, line.fare_id}:
            kept[line.pk] = 1
        else:
            new_seats.append(seat)
    for pool_and_fare, pool in asked.items():
        line = pools.get(pool_and_fare)
        if line and pool.places <= line.places and not pool.places % line.admits:
            kept[line.pk] = pool.places
        else:
            new_pools.append(pool)
    return kept, Wish(seats=tuple(new_seats), pools=tuple(new_pools))
