"""One hot pool of general admission: everybody's counter is the same row.

Against as many holds of two seats that nobody else wants.
"""

from collections.abc import Iterator
from functools import partial
from urllib.parse import urlencode
from uuid import uuid4

from inventory.models import AdmissionPool
from tests.bench import door, hall
from tests.bench.crowd import Ask
from tests.bench.hall import Hall
from tests.bench.hold import SEATS, spread
from tests.bench.office import Office
from tests.bench.turns import Figure, Side, Turn, compare

PLACES = 1_000_000
CLIENTS = 16


def measure(office: Office) -> Iterator[Figure]:
    house = hall.opened(seats=SEATS, pool_capacity=PLACES)
    yield from compare(
        Side("pool.spread.c16", partial(spread, office, house, CLIENTS)),
        Side("pool.hot.c16", partial(_hot, office, house)),
        most=house.pairs,
    )


def _hot(office: Office, house: Hall, holds: int) -> Turn:
    """Everybody wants two places, and gets them."""
    hall.set_free(office)
    pool = AdmissionPool.objects.get(event=house.event)
    fare = house.event.fares.earliest("rank").pk
    form = {"pool": pool.pk, f"quantity_{fare}": 2}
    asks = [
        Ask(hall.new_fan(), urlencode(form | {"idempotency_key": uuid4().hex}))
        for _ in range(holds)
    ]
    _, turn = door.send(office, house.event, asks, clients=CLIENTS)
    hall.check_pool(pool.pk, held=2 * holds)
    return turn
