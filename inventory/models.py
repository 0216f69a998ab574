import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.lookups import Exact

from ticketing.kernel.states import StatefulQuerySet


class BlockKind(models.TextChoices):
    HOUSE = "house", "house seats"
    KILL = "kill", "not usable"
    PRODUCTION = "production", "production"
    ACCESSIBLE = "accessible", "accessible"
    WAITLIST = "waitlist", "waitlist"


# What staff choose from; the waitlist keeps its seats by itself.
BY_HAND = [BlockKind.HOUSE, BlockKind.KILL, BlockKind.PRODUCTION, BlockKind.ACCESSIBLE]


class Block(models.Model):
    """Seats that the organizer keeps from general sale."""

    event = models.ForeignKey("events.Event", models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=BlockKind)
    reason = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="inventory_block_kind_is_known", condition=Q(kind__in=BlockKind.values)
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.reason}"


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


class AdmissionPool(models.Model):
    """Counted places, without seats."""

    event = models.ForeignKey("events.Event", models.PROTECT, related_name="+")
    name = models.CharField(max_length=100)
    # The standing area of the hall, if the event has a seat map.
    section = models.ForeignKey(
        "venues.Section", models.PROTECT, related_name="+", null=True, blank=True
    )
    zone = models.ForeignKey("events.PriceZone", models.PROTECT, related_name="+")
    capacity = models.PositiveIntegerField()
    held = models.IntegerField(default=0, editable=False)
    booked = models.IntegerField(default=0, editable=False)
    # Whether a fare ever got a cap here: who counts places in a hot pool asks for caps only then.
    has_caps = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "name"], name="inventory_pool_name_is_unique_in_event"
            ),
            models.CheckConstraint(
                name="inventory_pool_is_within_capacity",
                condition=Q(capacity__gte=F("held") + F("booked")),
                violation_error_message="More places are held or booked than that.",
            ),
            models.CheckConstraint(
                name="inventory_pool_counts_are_not_negative",
                condition=Q(held__gte=0, booked__gte=0),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class FareCap(models.Model):
    """Of the places of a pool, so many at most at one fare."""

    pool = models.ForeignKey(AdmissionPool, models.CASCADE, related_name="caps")
    fare = models.ForeignKey("events.Fare", models.PROTECT, related_name="+")
    capacity = models.PositiveIntegerField()
    held = models.IntegerField(default=0, editable=False)
    booked = models.IntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "fare"], name="inventory_one_cap_per_pool_and_fare"
            ),
            models.CheckConstraint(
                name="inventory_fare_is_within_its_cap",
                condition=Q(capacity__gte=F("held") + F("booked")),
                violation_error_message="More places are held or booked at this fare than that.",
            ),
            models.CheckConstraint(
                name="inventory_fare_cap_counts_are_not_negative",
                condition=Q(held__gte=0, booked__gte=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pool}: {self.fare}"


class HoldLine(models.Model):
    """One wish of a hold, with its price frozen: a seat, or some places of a pool at one fare."""

    hold = models.ForeignKey(Hold, models.CASCADE, related_name="lines")
    seat = models.ForeignKey(EventSeat, models.PROTECT, related_name="+", null=True, blank=True)
    pool = models.ForeignKey(AdmissionPool, models.PROTECT, related_name="+", null=True, blank=True)
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


# Who, as a row says it: an account, or the name of whoever ran a command.
SAYS_WHO_AND_WHY = ~Q(why="") & (~Q(by=None) | ~Q(by_name=""))


class StaffAct(models.Model):
    """What somebody of the house did with places, and why; a trigger refuses any change of it."""

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    by_name = models.CharField(max_length=150, blank=True)
    why = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        abstract = True

    @property
    def who(self) -> str:
        return self.by.get_full_name() if self.by else self.by_name


class BlockVerb(models.TextChoices):
    SET = "set", "set"
    LIFTED = "lifted", "lifted"
    # Its kind or its reason; no seat moved.
    EDITED = "edited", "edited"


class BlockChange(StaffAct):
    block = models.ForeignKey(Block, models.PROTECT, related_name="changes")
    verb = models.CharField(max_length=8, choices=BlockVerb)
    # Event seats, in order.
    seat_ids = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="inventory_block_change_verb_is_known", condition=Q(verb__in=BlockVerb.values)
            ),
            models.CheckConstraint(
                name="inventory_block_change_says_who_and_why", condition=SAYS_WHO_AND_WHY
            ),
        ]

    def __str__(self) -> str:
        return f"block {self.block_id} {self.verb} by {self.who}"


class HoldRelease(StaffAct):
    """A hold that staff ended; the fan's own letting go needs no reason."""

    hold = models.OneToOneField(Hold, models.PROTECT, related_name="staff_release")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="inventory_hold_release_says_who_and_why", condition=SAYS_WHO_AND_WHY
            ),
        ]

    def __str__(self) -> str:
        return f"hold {self.hold_id} released by {self.who}"
