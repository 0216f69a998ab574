"""Where a seat goes that its hold gives up. This is the one place that says so.

A seat goes where its hold `returns_to`: to everybody, or back into a block. Whoever placed the hold
decided that; whoever cancels a sale decides anew. Places of a pool are only counted: they go to
everybody (`counts`). Every function joins the caller's transaction,
and the caller has locked the holds, their seats and their pools.
"""

from collections.abc import Collection
from typing import Any

from django.db import connection

from inventory import gate
from inventory.models import SeatState
from ticketing.kernel import transactions

GIVE_BACK = """
UPDATE inventory_eventseat AS seat
SET state = CASE WHEN hold.returns_to_id IS NULL THEN 'available' ELSE 'blocked' END,
    block_id = hold.returns_to_id, hold_id = NULL
FROM inventory_hold AS hold
WHERE hold.id = ANY(%(holds)s) AND seat.hold_id = hold.id
  AND seat.fencing_token = hold.fencing_token AND seat.state = %(state)s
  AND (%(only)s::bigint[] IS NULL OR seat.id = ANY(%(only)s))
RETURNING hold.event_id, hold.owner, hold.idempotency_key, seat.id
"""


def seats(
    *, hold_ids: Collection[int], state: SeatState, only: Collection[int] | None = None
) -> int:
    """Give back the seats that these holds own in this state; returns how many.

    By the hold and its token: a seat that is somebody else's by now is not touched.
    """
    transactions.require()
    values: dict[str, Any] = {
        "holds": list(hold_ids),
        "state": state,
        "only": None if only is None else list(only),
    }
    with connection.cursor() as cursor:
        cursor.execute(GIVE_BACK, values)
        freed = cursor.fetchall()
    gate.clear_on_commit(freed)
    return len(freed)
