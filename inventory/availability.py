"""What inventory hands down to the floors below: how full an event is, which seats are needed."""

from collections.abc import Collection, Mapping

from django.core.cache import cache
from django.db import connection

from events.availability import Level
from inventory.selectors import FREE, LAPSED_PLACES

# Lists may be this old: they are looked at far more often than they change.
SECONDS = 5
# "Few left" is said below this share of all places.
FEW = 0.1

COUNT = f"""
SELECT event_id, sum(free), sum(places) FROM (
    SELECT seat.event_id, count(*) FILTER (WHERE {FREE}) AS free,
        count(*) FILTER (WHERE seat.state <> 'blocked') AS places
    FROM inventory_eventseat AS seat LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
    WHERE seat.event_id = ANY(%(events)s) GROUP BY seat.event_id
    UNION ALL
    SELECT event_id, capacity - held - booked + {LAPSED_PLACES}, capacity
    FROM inventory_admissionpool AS pool WHERE event_id = ANY(%(events)s)
) AS counted GROUP BY event_id
"""  # noqa: S608


def levels(event_ids: Collection[int]) -> Mapping[int, Level]:
    """The level of each event that has places, at most a few seconds old."""
    keys = {_key(event_id): event_id for event_id in event_ids}
    cached = cache.get_many(keys)
    found = {keys[key]: Level(level) for key, level in cached.items()}
    fresh = _count([event_id for event_id in event_ids if event_id not in found])
    cache.set_many({_key(event_id): str(level) for event_id, level in fresh.items()}, SECONDS)
    return found | fresh


def needed_guids(venue_id: int, map_name: str) -> Collection[str]:
    """The seats of a hall's map that are held or sold for an event that is not over."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT place.guid FROM inventory_eventseat AS seat"
            " JOIN venues_seat AS place ON place.id = seat.seat_id"
            " JOIN venues_seatmap AS map ON map.id = place.seat_map_id"
            " JOIN events_event AS event ON event.id = seat.event_id"
            " WHERE map.venue_id = %s AND map.name = %s AND seat.state IN ('held', 'booked')"
            " AND event.state <> 'cancelled'"
            " AND coalesce(event.ends_at, event.starts_at + interval '1 day') > now()",
            [venue_id, map_name],
        )
        return {guid for (guid,) in cursor.fetchall()}


def _key(event_id: int) -> str:
    return f"inventory:level:{event_id}"


def _count(event_ids: list[int]) -> dict[int, Level]:
    if not event_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"events": event_ids})
        return {event: Level.of(int(free), int(all_), few=FEW) for event, free, all_ in cursor}
