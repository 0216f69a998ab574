"""How many places of a pool are held and booked, and how many of them at a fare with a cap.

Nobody reads before he writes: the database counts, under constraints that it cannot pass. A cap is
counted only by who has its pool's row locked, so caps need no order of their own. Every function
joins the caller's transaction.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from django.db import connection

from inventory.errors import PlacesTaken
from ticketing.kernel import transactions

# Places by pool and fare.
Places = Mapping[tuple[int, int], int]

TAKE = """
UPDATE inventory_admissionpool SET held = held + %s
WHERE id = %s AND event_id = %s AND held + booked + %s <= capacity RETURNING has_caps
"""
# After the pool's row is locked, hence a statement of its own: a cap that was set while this one
# waited is seen. Answers with the caps that are full.
TAKE_AT_CAPS = """
WITH asked AS (
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::int[]) AS asked(pool_id, fare_id, places)
), taken AS (
    UPDATE inventory_farecap AS cap SET held = held + asked.places FROM asked
    WHERE cap.pool_id = asked.pool_id AND cap.fare_id = asked.fare_id
      AND cap.held + cap.booked + asked.places <= cap.capacity
    RETURNING cap.id
)
SELECT cap.pool_id, cap.fare_id FROM inventory_farecap AS cap JOIN asked
  ON cap.pool_id = asked.pool_id AND cap.fare_id = asked.fare_id
WHERE cap.id NOT IN (SELECT id FROM taken)
"""
# The caller has locked the pools.
MOVE = """
WITH line AS (
    SELECT pool_id, fare_id, sum(places) AS places FROM inventory_holdline
    WHERE hold_id = ANY(%s) AND pool_id IS NOT NULL GROUP BY pool_id, fare_id
), pool AS (
    UPDATE inventory_admissionpool AS counted SET {change}
    FROM (SELECT pool_id, sum(places) AS places FROM line GROUP BY pool_id) AS moved
    WHERE counted.id = moved.pool_id
)
UPDATE inventory_farecap AS counted SET {change} FROM line AS moved
WHERE counted.pool_id = moved.pool_id AND counted.fare_id = moved.fare_id
"""
GIVE_BACK = MOVE.format(change="held = held - moved.places")
BOOK = MOVE.format(change="held = held - moved.places, booked = booked + moved.places")


def take(*, event_id: int, places: Places) -> None:
    """Hold so many places more, or fewer where the number is negative; pools in order of pk.

    Raises PlacesTaken with the pool that is full, or with the fares whose cap is.
    """
    transactions.require()
    if not places:
        return
    by_pool: Counter[int] = Counter()
    for (pool_id, _), more in places.items():
        by_pool[pool_id] += more
    with connection.cursor() as cursor:
        capped = False
        for pool_id, more in sorted(by_pool.items()):
            cursor.execute(TAKE, [more, pool_id, event_id, more])
            found = cursor.fetchone()
            if found is None:
                raise PlacesTaken(pool_ids=[pool_id])
            capped |= found[0]
        if not capped:
            return
        pools, fares = zip(*places, strict=True)
        cursor.execute(TAKE_AT_CAPS, [list(pools), list(fares), list(places.values())])
        full = cursor.fetchall()
    if full:
        raise PlacesTaken(pool_ids={pool for pool, _ in full}, fare_ids={fare for _, fare in full})


def give_back(hold_ids: Collection[int]) -> None:
    """Count the places of holds that end unsold as free."""
    _move(GIVE_BACK, hold_ids)


def book(hold_id: int) -> None:
    """Count the places of a hold that is sold as booked."""
    _move(BOOK, [hold_id])


def cancel(*, pool_id: int, fare_id: int, places: int) -> None:
    """Count so many booked places as free."""
    transactions.require()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE inventory_admissionpool SET booked = booked - %s WHERE id = %s",
            [places, pool_id],
        )
        cursor.execute(
            "UPDATE inventory_farecap SET booked = booked - %s WHERE pool_id = %s AND fare_id = %s",
            [places, pool_id, fare_id],
        )


def _move(statement: str, hold_ids: Collection[int]) -> None:
    transactions.require()
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(hold_ids)])
