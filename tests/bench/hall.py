"""The hall that everybody wants seats of, and who wants which."""

import random
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from urllib.parse import urlencode
from uuid import uuid4

from django.db.models import Max, Min

from events import terms
from events.models import Event
from inventory import gate
from inventory.models import AdmissionPool, EventSeat
from tests import factories
from tests.bench.crowd import Ask
from tests.bench.errors import BenchError
from tests.bench.office import Office

SEATS_PER_ROW, ROWS_PER_SECTION = 100, 5
# As no sale would ever do it: what was is forgotten, and nobody looks at keys or writes moves.
FORGET = """
SET session_replication_role = replica;
UPDATE inventory_eventseat SET state = 'available', hold_id = NULL, fencing_token = NULL
WHERE hold_id IS NOT NULL;
UPDATE inventory_admissionpool SET held = 0, booked = 0 WHERE held + booked > 0;
DELETE FROM inventory_holdline;
DELETE FROM inventory_hold;
TRUNCATE inventory_seatmove;
"""
TAKE = """
SET session_replication_role = replica;
WITH hold AS (
    INSERT INTO inventory_hold (reference, event_id, owner, state, fencing_token, idempotency_key,
        fingerprint, created_at, expires_at, max_expires_at, currency, booking_fee_minor)
    SELECT gen_random_uuid(), %(event)s, 'visitor:' || gen_random_uuid(), 'active',
        nextval('inventory_fencing_token'), number, '', %(since)s::timestamptz,
        %(since)s::timestamptz + interval '20 min', %(since)s::timestamptz + interval '20 min',
        'EUR', 0
    FROM generate_series(0, %(pairs)s - 1) AS number
    RETURNING id, fencing_token, idempotency_key::int AS number
), line AS (
    INSERT INTO inventory_holdline
        (hold_id, seat_id, zone_id, fare_id, places, price_minor, fee_minor)
    SELECT hold.id, %(first)s + 2 * number + second, %(zone)s, %(fare)s, 1, 5000, 0
    FROM hold CROSS JOIN generate_series(0, 1) AS second
)
UPDATE inventory_eventseat AS seat
SET state = 'held', hold_id = hold.id, fencing_token = hold.fencing_token
FROM hold WHERE seat.id IN (%(first)s + 2 * number, %(first)s + 2 * number + 1);
"""


@dataclass(frozen=True, slots=True)
class Hall:
    event: Event
    # Seats were made together: their keys are one run of numbers, in the order of the hall.
    first_seat: int
    pairs: int

    def seats(self, pair: int) -> tuple[int, int]:
        """Two neighbours."""
        return self.first_seat + 2 * pair, self.first_seat + 2 * pair + 1

    def spread(self, asks: int, *, beyond: int = 0) -> list[Ask]:
        """Everybody wants other seats, none of the first pairs."""
        return [self.ask_for(pair) for pair in random.sample(range(beyond, self.pairs), asks)]

    def ask_for(self, pair: int) -> Ask:
        section = 2 * pair // (SEATS_PER_ROW * ROWS_PER_SECTION)
        form = {
            "section": f"stalls-{section + 1}" if section else "stalls",
            "seats": self.seats(pair),
            "fare": "",
            "idempotency_key": uuid4().hex,
        }
        return Ask(new_fan(), urlencode(form, doseq=True))


def opened(*, seats: int, pool_capacity: int = 0) -> Hall:
    """A new hall of sections of 500 seats, on sale."""
    rows = seats // SEATS_PER_ROW
    event = factories.opened_event(
        rows=rows,
        seats_per_row=SEATS_PER_ROW,
        sections=rows // ROWS_PER_SECTION,
        pool_capacity=pool_capacity,
    )
    keys = EventSeat.objects.filter(event=event).aggregate(least=Min("pk"), most=Max("pk"))
    if keys["most"] - keys["least"] + 1 != seats:
        raise BenchError("the seats' keys have gaps: neighbours cannot be told by number")
    return Hall(event, keys["least"], seats // 2)


def new_fan() -> str:
    """What the browser of somebody who was never here before got with the page: a CSRF token."""
    return token_hex(16)


def set_free(office: Office) -> None:
    """Forget all holds, and leave everything as tidy as the turn before found it."""
    office.valkey().flushdb()
    with office.connect() as database:
        database.execute(FORGET)
        # Of the seats only what changed: there may be millions.
        database.execute("VACUUM inventory_eventseat")
        database.execute("VACUUM ANALYZE inventory_hold, inventory_holdline, inventory_seatmove")
        database.execute("CHECKPOINT")


def take(office: Office, hall: Hall, *, pairs: int, since: datetime) -> None:
    """Let the first pairs of seats be somebody's since then, in PostgreSQL and at the gate."""
    [zone, fare] = next(iter(terms.of(hall.event.pk).rates))
    values = {"event": hall.event.pk, "first": hall.first_seat, "zone": zone, "fare": fare}
    with office.connect() as database:
        for statement in TAKE.rstrip().rstrip(";").split(";"):
            wanted = values | {"pairs": pairs, "since": since} if "%(" in statement else None
            database.execute(statement, wanted)
        database.execute("VACUUM ANALYZE inventory_eventseat, inventory_hold, inventory_holdline")
    gate.rebuild(hall.event.pk)


def check(office: Office, hall: Hall, *, held: int) -> None:
    """Insist that so many seats are held, no more and no fewer."""
    with office.connect() as database:
        [counted] = database.execute(
            "SELECT count(*) FROM inventory_eventseat WHERE event_id = %s AND state = 'held'",
            [hall.event.pk],
        ).fetchone() or [0]
    if counted != held:
        raise BenchError(f"{held} seats were said to be held, but {counted} are")


def check_pool(pool_id: int, *, held: int) -> None:
    pool = AdmissionPool.objects.get(pk=pool_id)
    if pool.held != held or pool.held + pool.booked > pool.capacity:
        raise BenchError(
            f"{held} places were said to be held; {pool.held} of {pool.capacity} are, and"
            f" {pool.booked} sold"
        )
