"""How seats stand that somebody wants to block or lift: free, held, sold, in a block.

A lapsed lease is free by definition, or in the block that it returns to.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection


@dataclass(frozen=True, slots=True)
class Standing:
    """Each seat that was asked about, in exactly one of these."""

    free: frozenset[int]
    # Until when, as far as is known: a lease may be extended.
    held: dict[int, datetime]
    booked: frozenset[int]
    # In which block.
    blocked: dict[int, int]
    # No seats of this event.
    unknown: frozenset[int]
    # The holds that own some of the seats and have lapsed.
    lapsed: frozenset[int]

    @property
    def not_free(self) -> set[int]:
        return {*self.held, *self.booked, *self.blocked, *self.unknown}


LOOK = """
SELECT seat.id, seat.state, seat.block_id, hold.id, hold.expires_at, hold.returns_to_id,
    hold.expires_at <= coalesce(%(at)s, clock_timestamp())
FROM inventory_eventseat AS seat LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
WHERE seat.event_id = %(event)s AND seat.id = ANY(%(seats)s)
"""


def of(
    *,
    event_id: int,
    seat_ids: Collection[int],
    at: datetime | None = None,
    locked: Collection[int] | None = None,
) -> Standing:
    """How these seats stand now; of the lapsed holds, only those `locked` give theirs up, if told.

    One that lapsed after the caller locked what had lapsed still counts as held.
    """
    free: set[int] = set()
    booked: set[int] = set()
    held: dict[int, datetime] = {}
    blocked: dict[int, int] = {}
    lapsed: set[int] = set()
    values: dict[str, Any] = {"event": event_id, "seats": list(seat_ids), "at": at}
    with connection.cursor() as cursor:
        cursor.execute(LOOK, values)
        rows = cursor.fetchall()
    for seat, state, block, hold, expires_at, returns_to, is_over in rows:
        gives_up = state == "held" and is_over and (locked is None or hold in locked)
        if gives_up:
            lapsed.add(hold)
        if state == "booked":
            booked.add(seat)
        elif state == "held" and not gives_up:
            held[seat] = expires_at
        elif block or (gives_up and returns_to):
            blocked[seat] = block or returns_to
        else:
            free.add(seat)
    known = free | booked | held.keys() | blocked.keys()
    return Standing(
        free=frozenset(free),
        held=held,
        booked=frozenset(booked),
        blocked=blocked,
        unknown=frozenset(set(seat_ids) - known),
        lapsed=frozenset(lapsed),
    )


def seats_of_block(block_id: int) -> list[int]:
    """The seats that are in a block, those included that a lapsed hold returns to it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM inventory_eventseat WHERE block_id = %s UNION"
            " SELECT seat.id FROM inventory_eventseat AS seat"
            " JOIN inventory_hold AS hold ON hold.id = seat.hold_id"
            " WHERE hold.returns_to_id = %s AND hold.state = 'active'"
            " AND hold.expires_at <= clock_timestamp()",
            [block_id, block_id],
        )
        return [seat_id for (seat_id,) in cursor.fetchall()]
