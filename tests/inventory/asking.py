"""Short ways to ask for places, as a fan's page does."""

from datetime import timedelta
from uuid import uuid4

from django.db import transaction

from inventory.models import Hold
from inventory.services import holds, placing
from inventory.wishes import PoolWish, SeatWish, Wish


def place(sale, seats=(), *, pools=(), owner=None, key=None, at=None, fare=None):
    """Hold these seats, and (pool, places) pairs, for a fan who is new unless named."""
    wish = Wish(
        seats=tuple(SeatWish(seat, fare) for seat in seats),
        pools=tuple(PoolWish(pool, places, fare) for pool, places in pools),
    )
    return placing.place(
        terms=sale, owner=owner or f"fan {uuid4()}", key=key or str(uuid4()), wish=wish, at=at
    )


def confirm(placed, token=None):
    with transaction.atomic():
        holds.confirm(
            hold_id=placed.hold_id, fencing_token=placed.fencing_token if token is None else token
        )


def start_payment(placed, sale, at=None):
    with transaction.atomic():
        return holds.start_payment(
            hold_id=placed.hold_id, fencing_token=placed.fencing_token, terms=sale, at=at
        )


def lapse(placed):
    """Let the lease run out, by the database's own clock."""
    row = Hold.objects.get(pk=placed.hold_id)
    shift = timedelta(hours=2)
    Hold.objects.filter(pk=row.pk).update(
        created_at=row.created_at - shift,
        expires_at=row.expires_at - shift,
        max_expires_at=row.max_expires_at - shift,
    )
