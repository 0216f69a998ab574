"""Whose each seat is, and every move it made."""

from django.db import models
from django.db.models import Q

from inventory.models.blocks import Block
from inventory.models.holds import Hold
from ticketing.kernel.states import StatefulQuerySet


class SeatState(models.TextChoices):
    AVAILABLE = "available", "available"
    HELD = "held", "held"
    BOOKED = "booked", "booked"
    BLOCKED = "blocked", "blocked"


class EventSeat(models.Model):
    MOVES = {
        SeatState.AVAILABLE: {SeatState.HELD, SeatState.BLOCKED},
        SeatState.HELD: {SeatState.BOOKED, SeatState.AVAILABLE, SeatState.BLOCKED},
        SeatState.BOOKED: {SeatState.AVAILABLE, SeatState.BLOCKED},
        SeatState.BLOCKED: {SeatState.AVAILABLE, SeatState.HELD},
    }

    event = models.ForeignKey("events.Event", models.PROTECT, related_name="+")
    seat = models.ForeignKey("venues.Seat", models.PROTECT, related_name="+")
    # Of the seat; said here too, since every count is by section.
    section = models.ForeignKey("venues.Section", models.PROTECT, related_name="+")
    zone = models.ForeignKey("events.PriceZone", models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=SeatState, default=SeatState.AVAILABLE)
    hold = models.ForeignKey(Hold, models.PROTECT, related_name="seats", null=True, blank=True)
    # Of the last owner; it stays when the seat is free, and only grows.
    fencing_token = models.BigIntegerField(null=True, blank=True)
    block = models.ForeignKey(Block, models.PROTECT, related_name="seats", null=True, blank=True)

    objects = StatefulQuerySet["EventSeat"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "seat"], name="inventory_seat_is_sold_once_per_event"
            ),
            models.CheckConstraint(
                name="inventory_seat_has_a_hold_iff_taken",
                condition=Q(
                    state__in=[SeatState.HELD, SeatState.BOOKED],
                    hold__isnull=False,
                    fencing_token__isnull=False,
                )
                | Q(state__in=[SeatState.AVAILABLE, SeatState.BLOCKED], hold__isnull=True),
            ),
            models.CheckConstraint(
                name="inventory_seat_has_a_block_iff_blocked",
                condition=Q(state=SeatState.BLOCKED, block__isnull=False)
                | (~Q(state=SeatState.BLOCKED) & Q(block__isnull=True)),
            ),
        ]
        indexes = [models.Index(fields=["event", "section"], name="inventory_seat_by_section")]

    def __str__(self) -> str:
        return f"event seat {self.pk}"


class SeatMove(models.Model):
    """One move of one seat: its whole story, in the order of the pk.

    Written by a trigger on EventSeat, so that no way of moving a seat can forget it, and refused
    any change afterwards. It names rows that may be gone, hence without foreign keys.
    """

    seat = models.ForeignKey(
        EventSeat, models.DO_NOTHING, related_name="moves", db_constraint=False
    )
    at = models.DateTimeField()
    was = models.CharField(max_length=10, choices=SeatState)
    became = models.CharField(max_length=10, choices=SeatState)
    # Whose it became, or whose it was.
    hold = models.ForeignKey(
        Hold, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False, null=True
    )
    block = models.ForeignKey(
        Block, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False, null=True
    )
    fencing_token = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"seat {self.seat_id}: {self.was} to {self.became}"
