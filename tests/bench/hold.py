"""A hold of two free seats among 20,000: through the shop's door, and in PostgreSQL alone.

Every hold is a new fan's, and no two of one turn want the same seat.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import Max, Min
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from bookings.visitors import COOKIE, Visitor
from events import terms
from events.models import Event
from inventory.models import EventSeat
from tests import factories
from tests.bench import crowd, pgbench
from tests.bench.cpu import Meter
from tests.bench.errors import BenchError
from tests.bench.office import Office
from tests.bench.turns import Figure, Side, Turn, compare
from ticketing.embedded import demo, runtime

SCRIPT = Path(__file__).with_name("hold.sql").read_text()
CLIENTS = (1, 8, 32)
ROWS, SEATS_PER_ROW = 200, 100
PAIRS = ROWS * SEATS_PER_ROW // 2
NOBODY = UUID(int=0)


def measure(office: Office) -> Iterator[Figure]:
    event = factories.opened_event(rows=ROWS, seats_per_row=SEATS_PER_ROW)
    for clients in CLIENTS:
        yield from compare(
            Side(f"hold.pgbench.c{clients}", partial(_in_postgres, office, event, clients)),
            Side(f"hold.http.c{clients}", partial(_through_the_door, office, event, clients)),
            most=PAIRS,
        )


def _in_postgres(office: Office, event: Event, clients: int, holds: int) -> Turn:
    _set_free()
    sale = terms.of(event.pk)
    [zone, fare] = next(iter(sale.rates))
    values = {
        "clients": clients,
        "event": event.pk,
        "fare": fare,
        "first_seat": _first_seat(event),
        "pairs": PAIRS,
        "seed": random.randrange(2**31),
        "turn": -1,
        "zone": zone,
    }
    turn = pgbench.run(office, SCRIPT, clients=clients, each=holds // clients, values=values)
    _check(event, turn)
    return turn


def _through_the_door(office: Office, event: Event, clients: int, holds: int) -> Turn:
    _set_free()
    errand = crowd.Errand(
        host=demo.HOST,
        port=office.port,
        connections=clients,
        # Any page with a form gives the token.
        page=reverse("admin:login"),
        action=reverse("bookings:place", args=[event.slug]),
        leads_to=reverse("bookings:hold", args=[NOBODY]).partition(str(NOBODY))[0],
        asks=_asks(event, holds),
    )
    meter = Meter(office.parts)
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.crowd"],
        input=json.dumps(asdict(errand)),
        cwd=runtime.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    cpu = meter.read()
    if done.returncode:
        raise BenchError(f"a hold was refused; see also the web server's log.\n{done.stderr}")
    seen = crowd.Seen(**json.loads(done.stdout))
    turn = Turn(len(seen.latencies_ms), seen.seconds, seen.latencies_ms, cpu)
    _check(event, turn)
    return turn


def _asks(event: Event, holds: int) -> list[crowd.Ask]:
    first_seat = _first_seat(event)
    asks = []
    for pair in random.sample(range(PAIRS), holds):
        seat = first_seat + 2 * pair
        form = {"seats": [seat, seat + 1], "fare": "", "idempotency_key": uuid4().hex}
        asks.append(crowd.Ask(_new_visitor(), urlencode(form, doseq=True)))
    return asks


def _new_visitor() -> str:
    """The cookie of somebody who was never here before, signed as the shop does."""
    visitor, response = Visitor(HttpRequest()), HttpResponse()
    # Known, as somebody is who holds something.
    visitor.keep()
    visitor.remember(response)
    return f"{COOKIE}={response.cookies[COOKIE].value}"


def _first_seat(event: Event) -> int:
    """Seats were made together: their keys are one run of numbers, in the order of the hall."""
    keys = EventSeat.objects.filter(event=event).aggregate(least=Min("pk"), most=Max("pk"))
    if keys["most"] - keys["least"] + 1 != 2 * PAIRS:
        raise BenchError("the seats' keys have gaps: neighbours cannot be told by number")
    return int(keys["least"])


def _set_free() -> None:
    """Forget all holds, and leave the tables as tidy as the turn before found them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE inventory_eventseat SET state = 'available', hold_id = NULL,"
            " fencing_token = NULL WHERE hold_id IS NOT NULL"
        )
        cursor.execute("DELETE FROM inventory_holdline")
        cursor.execute("DELETE FROM inventory_hold")
        cursor.execute("VACUUM ANALYZE inventory_eventseat, inventory_hold, inventory_holdline")
        cursor.execute("CHECKPOINT")


def _check(event: Event, turn: Turn) -> None:
    held = EventSeat.objects.filter(event=event, state="held").count()
    if held != 2 * turn.operations:
        raise BenchError(f"{turn.operations} holds of 2 succeeded, but {held} seats are held")
