"""A hold of two seats among 20,000: in PostgreSQL alone, and through the shop's door.

Every hold is a new fan's. Either no two of one turn want the same seat, or the seats are taken, or
everybody wants the same hundred pairs.
"""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.utils import timezone

from events import terms
from tests.bench import door, hall, pgbench
from tests.bench.errors import BenchError
from tests.bench.hall import Hall
from tests.bench.office import Office
from tests.bench.turns import COST, Figure, Side, Turn, compare

SCRIPT = Path(__file__).with_name("hold.sql").read_text()
CLIENTS = (1, 8, 32)
SEATS = 20_000
HOT_PAIRS = 100


def measure(office: Office) -> Iterator[Figure]:
    house = hall.opened(seats=SEATS)
    with office.beside("web-without-gate", GATE="off") as ungated:
        for clients in CLIENTS:
            sides = [
                Side(f"hold.http.c{clients}", partial(spread, office, house, clients)),
                Side(f"hold.nogate.c{clients}", partial(spread, ungated, house, clients)),
            ]
            yield from compare(
                Side(f"hold.pgbench.c{clients}", partial(_in_postgres, office, house, clients)),
                # What it brings and costs is asked once.
                *(sides if clients == 8 else sides[:1]),
                most=house.pairs,
            )
        yield from compare(
            Side("hold.won.c8", partial(spread, office, house, 8)),
            Side("hold.refused", partial(_refused, office, house)),
            Side("hold.refused.nogate", partial(_refused, ungated, house)),
            most=house.pairs,
            by=COST,
        )
        yield from compare(
            Side("hold.spread.c16", partial(spread, office, house, 16)),
            Side("hold.hot200.c16", partial(_hot, office, house)),
            Side("hold.hot200.c16.nogate", partial(_hot, ungated, house)),
            most=house.pairs,
        )


def spread(office: Office, house: Hall, clients: int, holds: int) -> Turn:
    """Everybody wants other seats, and gets them."""
    hall.set_free(office)
    _, turn = door.send(office, house.event, house.spread(holds), clients=clients)
    hall.check(office, house, held=2 * holds)
    return turn


def _in_postgres(office: Office, house: Hall, clients: int, holds: int) -> Turn:
    hall.set_free(office)
    sale = terms.of(house.event.pk)
    [zone, fare] = next(iter(sale.rates))
    values = {
        "clients": clients,
        "event": house.event.pk,
        "fare": fare,
        "first_seat": house.first_seat,
        "pairs": house.pairs,
        "seed": random.randrange(2**31),
        "turn": -1,
        "zone": zone,
    }
    turn = pgbench.run(office, SCRIPT, clients=clients, each=holds // clients, values=values)
    hall.check(office, house, held=2 * turn.operations)
    return turn


def _refused(office: Office, house: Hall, asks: int) -> Turn:
    """All seats are somebody's; everybody is told so."""
    hall.set_free(office)
    hall.take(office, house, pairs=house.pairs, since=timezone.now())
    seen, turn = door.send(office, house.event, house.spread(asks), clients=8, may_be_refused=True)
    if seen.won_ms:
        raise BenchError(f"{len(seen.won_ms)} holds of seats that others have were granted")
    hall.check(office, house, held=2 * house.pairs)
    return turn


def _hot(office: Office, house: Hall, asks: int) -> Turn:
    """Everybody wants two of the same 200 seats: some get them, most are too late."""
    hall.set_free(office)
    wanted = random.choices(range(HOT_PAIRS), k=asks)
    wishes = [house.ask_for(pair) for pair in wanted]
    seen, turn = door.send(office, house.event, wishes, clients=16, may_be_refused=True)
    if len(seen.won_ms) != len(set(wanted)):
        raise BenchError(f"{len(seen.won_ms)} holds were granted, not one for each pair asked for")
    hall.check(office, house, held=2 * len(seen.won_ms))
    return turn
