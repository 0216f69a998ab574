"""Placing a hold: all the places of a wish, or none.

`place` is the hottest write of the house: the gate first, then one transaction of few statements.
"""

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from django.db import IntegrityError, transaction

from events.terms import Terms
from inventory import gate, metrics
from inventory.errors import AccessUsedUp, HoldEnded, LimitReached, PlacesTaken
from inventory.models import Hold, HoldState
from inventory.services import access, counts, grants, holds, judging, locks
from inventory.services.grants import Granted
from inventory.services.judging import Ask, Judged, Known
from inventory.wishes import Wish
from ticketing.kernel import constraints
from ticketing.kernel.idempotency import KeyReused


def place(
    *,
    terms: Terms,
    owner: str,
    key: str,
    wish: Wish,
    channel: int | None = None,
    also: str | None = None,
    at: datetime | None = None,
) -> Granted:
    """Hold every place of `wish` for `owner`, or none.

    `also` is what the fan was called before he logged in. `channel` is the block that an offer or a
    box office sells from: its seats, and no others, can be held by it, and return to it. The same
    key with the same wish is answered with the same hold, also in parallel. In a presale the hold
    goes by the code of the terms. Raises a BadWish, SaleClosed, AccessUsedUp, LimitReached,
    AlreadyHolding, HoldEnded, KeyReused or PlacesTaken; then nothing has changed.
    """
    wish.check()
    if wish.places > terms.limit_per_fan:
        raise LimitReached(limit=terms.limit_per_fan, owned=0, asked=wish.places)
    ask = Ask(terms, owner, key, wish, channel, at, also)
    metrics.ASKED.inc()
    with metrics.HOLD_SECONDS.time(), _gate(ask):
        try:
            granted = _place_or_clear(ask)
        except Exception as refusal:
            metrics.refused(refusal)
            raise
    metrics.WON.inc()
    return granted


def _place_or_clear(ask: Ask) -> Granted:
    try:
        return _place(ask, clear_lapsed=False)
    except AccessUsedUp:
        pass
    except PlacesTaken as refusal:
        if not refusal.pool_ids:
            raise
    # The pool, or the code, may be full of lapsed holds, and those are free by definition.
    return _place(ask, clear_lapsed=True)


def _gate(ask: Ask) -> AbstractContextManager[None]:
    """The gate, but for the hold that the fan placed as a visitor: there it knows his other name.

    Only who has two names is asked for in PostgreSQL.
    """
    if ask.also and Hold.objects.filter(owner__in=ask.names, idempotency_key=ask.key).exists():
        return nullcontext()
    return gate.claimed(
        event_id=ask.event_id, seat_ids=ask.wish.seat_ids, owner=ask.owner, key=ask.key
    )


def _place(ask: Ask, *, clear_lapsed: bool) -> Granted:
    try:
        with transaction.atomic(durable=True):
            look = judging.look(ask)
            known = look.known(ask.key)
            if known:
                return _answer(known, ask)
            suspects = set(look.suspects)
            if clear_lapsed:
                suspects |= judging.lapsed_in_pools(ask) | judging.lapsed_by_code(ask)
            judged = judging.judge(ask, judging.lock(ask, suspects))
            judging.check_limit(ask, look.mine, judged)
            holds.take_over(judged.lapsed, judged.now)
            return _grant(ask, judged)
    except IntegrityError as error:
        # The key is in flight at another event, where this fan is not locked.
        if constraints.violated_by(error) == "inventory_one_hold_per_owner_and_key":
            raise KeyReused(ask.key) from error
        raise


def _grant(ask: Ask, judged: Judged) -> Granted:
    lines = grants.priced(ask.terms, ask.wish, judged.zones)
    granted = grants.new_hold(
        terms=ask.terms,
        owner=ask.owner,
        key=ask.key,
        fingerprint=ask.wish.fingerprint(ask.event_id),
        channel=ask.channel,
        lines=lines,
        now=judged.now,
    )
    counts.take(event_id=ask.event_id, places=grants.pool_places(lines))
    access.check_room(terms=ask.terms, at=judged.now)
    gate.keep_on_commit(
        event_id=ask.event_id,
        owner=ask.owner,
        key=ask.key,
        seat_ids=ask.wish.seat_ids,
        until=granted.expires_at,
    )
    return granted


def _answer(known: Known, ask: Ask) -> Granted:
    """Asking twice is asking once."""
    if known.fingerprint != ask.wish.fingerprint(ask.event_id):
        raise KeyReused(known.key)
    if known.state != HoldState.ACTIVE or known.expires_at <= (ask.at or locks.clock()):
        raise HoldEnded(known.reference)
    return Granted(known.id, known.reference, known.fencing_token, known.expires_at)
