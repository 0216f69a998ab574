"""One rival in a process of its own: for each call, waits at the gate, makes it, says how it went.

A call is a line of JSON. The connection is closed after each: nothing of one race reaches the next.
"""

import json
import os
import sys

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings.test")
    django.setup()
    from django.db import connection

    from tests.races.rivals import GATE

    connection.settings_dict["NAME"] = os.environ["RIVAL_DATABASE"]
    for line in sys.stdin:
        with connection.cursor() as cursor:
            print("ready", flush=True)
            cursor.execute("SELECT pg_advisory_lock_shared(%s)", [GATE])
            cursor.execute("SELECT pg_advisory_unlock_shared(%s)", [GATE])
        try:
            act(**json.loads(line))
        except Exception as refusal:
            said = type(refusal).__name__
        else:
            said = "done"
        connection.close()
        print(said, flush=True)


def act(*, what: str, event_id: int, hold_id: int = 0, number: int = 0, **named: int) -> None:
    """What the rival does; `named` are the places and the fare of what is to be held."""
    from django.db import transaction

    from events import terms
    from inventory import selectors
    from inventory.services import holds
    from tests.inventory.asking import place

    sale = terms.of(event_id)
    hold = selectors.hold_by_id(hold_id)
    match what:
        case "place":
            seats = [named["seat_id"]] if "seat_id" in named else []
            pools = [(named["pool_id"], 1)] if "pool_id" in named else []
            owner = f"rival {number}"
            place(sale, seats, pools=pools, fare=named.get("fare_id"), owner=owner)
        case "extend":
            holds.extend(reference=hold.reference, owner=hold.owner, terms=sale)
        case "release":
            holds.release(reference=hold.reference, owner=hold.owner)
        case "confirm":
            with transaction.atomic():
                holds.confirm(hold_id=hold.id, fencing_token=hold.fencing_token)
        case "expire":
            holds.expire_batch(limit=100)
        case _:
            raise ValueError(what)


if __name__ == "__main__":
    main()
