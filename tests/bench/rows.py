"""The same hold in a table of 10 thousand, 100 thousand, a million and ten million seats.

A hall of 10,000 is sold; the other seats belong to other events. Each size is a database with a web
server of its own, so that all can take turns.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from events.models import Event
from tests import factories
from tests.bench import hall
from tests.bench.hall import Hall
from tests.bench.hold import spread
from tests.bench.office import Office
from tests.bench.turns import Figure, Side, compare

SEATS = 10_000
# By name, how many halls full of seats the table has.
HALLS = {"10k": 1, "100k": 10, "1M": 100, "10M": 1000}
CLIENTS = 8
INDEXES = """
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'inventory_eventseat'
AND indexname NOT IN (SELECT conname FROM pg_constraint)
"""
COPY = """
SET session_replication_role = replica;
INSERT INTO inventory_eventseat (event_id, seat_id, section_id, zone_id, state)
SELECT event.id, seat.seat_id, seat.section_id, seat.zone_id, 'available'
FROM events_event AS event CROSS JOIN inventory_eventseat AS seat
WHERE seat.event_id = {sold} AND event.id <> {sold} ORDER BY event.id, seat.seat_id;
"""


def measure(office: Office) -> Iterator[Figure]:
    with ExitStack() as stack:
        sides = []
        for name, halls in HALLS.items():
            place = stack.enter_context(office.with_database(f"bench_rows_{name.lower()}"))
            house = hall.opened(seats=SEATS)
            _fill(place, house, halls)
            sides.append(Side(f"hold.rows.{name}", partial(spread, place, house, CLIENTS)))
        yield from compare(*sides, most=SEATS // 2)


def _fill(office: Office, house: Hall, halls: int) -> None:
    """Give the hall to other evenings as well, with every seat of it."""
    like = {"organizer": house.event.organizer, "venue": house.event.venue}
    Event.objects.bulk_create(factories.EventFactory.build_batch(halls - 1, **like))
    with office.connect() as database:
        # Ten million rows are written faster without them.
        indexes = database.execute(INDEXES).fetchall() if halls > 1 else []
        for name, _ in indexes:
            database.execute(f"DROP INDEX {name}")
        database.execute(COPY.format(sold=house.event.pk))
        database.execute("SET maintenance_work_mem = '1GB'")
        for _, definition in indexes:
            database.execute(definition)
        database.execute("VACUUM (FREEZE, ANALYZE) inventory_eventseat")
