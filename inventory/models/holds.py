"""Leases on places, and what each of them has."""

import uuid

from django.db import models
from django.db.models import F, Q
from django.db.models.lookups import Exact

from inventory.models.blocks import Block
from ticketing.kernel.states import StatefulQuerySet


class HoldState(models.TextChoices):
    ACTIVE = "active", "active"
    CONFIRMED = "confirmed", "confirmed"
    RELEASED = "released", "released"
    EXPIRED = "expired", "expired"


class Hold(models.Model):
    """A fan's provisional ownership of places: a lease with an identity of its own."""

    MOVES = {
        HoldState.ACTIVE: {HoldState.CONFIRMED, HoldState.RELEASED, HoldState.EXPIRED},
        HoldState.CONFIRMED: set[str](),
        HoldState.RELEASED: set[str](),
        HoldState.EXPIRED: set[str](),
    }

    # Names the hold in addresses; it gives no right, the owner does.
    reference = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    event = models.ForeignKey("events.Event", models.PROTECT, related_name="+")
    # Who holds: an opaque name that the door vouches for, such as a signed visitor's id.
    owner = models.CharField(max_length=80)
    # The visitor who placed it, when it became an account's at login.
    creator = models.CharField(max_length=80, blank=True, default="", db_default="")
    state = models.CharField(max_length=10, choices=HoldState, default=HoldState.ACTIVE)
    # From one sequence, drawn after the seats are locked; a commit with an older one is refused.
    fencing_token = models.BigIntegerField(unique=True)
    idempotency_key = models.CharField(max_length=200)
    # Of the wish, so that a key cannot be used for another one.
    fingerprint = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # No extension carries the lease further than this.
    max_expires_at = models.DateTimeField()
    # The one extension that a payment gets; set when it was given.
    payment_started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # Where the seats go when the hold ends unsold: a block's own channel, or empty for everybody.
    returns_to = models.ForeignKey(Block, models.PROTECT, related_name="+", null=True, blank=True)
    currency = models.CharField(max_length=3)
    # For the whole booking, frozen like the prices of the lines.
    booking_fee_minor = models.PositiveBigIntegerField(default=0)
    # The presale code that it goes by; none in a public sale.
    access_code = models.ForeignKey(
        "events.AccessCode",
        models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        # Most holds go by none: the partial index below has only those that do.
        db_index=False,
    )

    objects = StatefulQuerySet["Hold"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "idempotency_key"], name="inventory_one_hold_per_owner_and_key"
            ),
            models.UniqueConstraint(
                fields=["event", "owner"],
                condition=Q(state=HoldState.ACTIVE),
                name="inventory_one_active_hold_per_fan",
            ),
            models.CheckConstraint(
                name="inventory_hold_state_is_known", condition=Q(state__in=HoldState.values)
            ),
            models.CheckConstraint(
                name="inventory_hold_has_ended_iff_not_active",
                condition=Q(state=HoldState.ACTIVE, ended_at=None)
                | (~Q(state=HoldState.ACTIVE) & ~Q(ended_at=None)),
            ),
            models.CheckConstraint(
                name="inventory_lease_is_within_its_cap",
                condition=Q(expires_at__lte=F("max_expires_at"), expires_at__gt=F("created_at")),
            ),
        ]
        indexes = [
            # Exactly the rows that the expiry scans.
            models.Index(
                F("expires_at"),
                condition=Q(state=HoldState.ACTIVE),
                name="inventory_active_by_expiry",
            ),
            models.Index(fields=["event", "owner"], name="inventory_hold_by_fan"),
            models.Index(
                fields=["access_code"],
                condition=Q(access_code__isnull=False),
                name="inventory_hold_by_code",
            ),
        ]

    def __str__(self) -> str:
        return f"hold {self.pk} (token {self.fencing_token})"


class HoldLine(models.Model):
    """One wish of a hold, with its price frozen: a seat, or some places of a pool at one fare."""

    hold = models.ForeignKey(Hold, models.CASCADE, related_name="lines")
    seat = models.ForeignKey(
        "inventory.EventSeat", models.PROTECT, related_name="+", null=True, blank=True
    )
    pool = models.ForeignKey(
        "inventory.AdmissionPool", models.PROTECT, related_name="+", null=True, blank=True
    )
    zone = models.ForeignKey("events.PriceZone", models.PROTECT, related_name="+")
    fare = models.ForeignKey("events.Fare", models.PROTECT, related_name="+")
    places = models.PositiveSmallIntegerField(default=1)
    # How many of them one ticket takes, as the fare said when it was priced.
    admits = models.PositiveSmallIntegerField(default=1, db_default=1)
    # Of the places, those that were given back after they were sold.
    cancelled = models.PositiveSmallIntegerField(db_default=0)
    # Both for one ticket.
    price_minor = models.PositiveBigIntegerField()
    fee_minor = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hold", "seat"], name="inventory_seat_is_once_in_a_hold"
            ),
            models.UniqueConstraint(
                fields=["hold", "pool", "fare"],
                condition=Q(pool__isnull=False),
                name="inventory_pool_and_fare_are_once_in_a_hold",
            ),
            models.CheckConstraint(
                name="inventory_line_is_of_whole_tickets",
                condition=Q(admits__gte=1)
                & Q(Exact(F("places") % F("admits"), 0))
                & Q(Exact(F("cancelled") % F("admits"), 0)),
            ),
            models.CheckConstraint(
                name="inventory_line_is_a_seat_or_pool_places",
                condition=Q(seat__isnull=False, pool__isnull=True, places=1)
                | Q(seat__isnull=True, pool__isnull=False, places__gte=1),
            ),
            models.CheckConstraint(
                name="inventory_line_cancels_no_more_than_its_places",
                condition=Q(cancelled__lte=F("places")),
            ),
        ]

    def __str__(self) -> str:
        return f"line {self.pk} of hold {self.hold_id}"
