from django.db import models
from django.db.models import F, Q

from ticketing.kernel.acting import Act
from ticketing.kernel.money import Money
from ticketing.kernel.states import StatefulQuerySet


class BookingState(models.TextChoices):
    PENDING = "pending", "pending"
    CONFIRMED = "confirmed", "confirmed"
    LAPSED = "lapsed", "lapsed"
    CANCELLED = "cancelled", "cancelled"


class LapseReason(models.TextChoices):
    """Why a pending booking came to nothing."""

    UNPAID = "unpaid", "not paid in time"
    # The money came when the seats were somebody else's; it went back.
    LATE = "late", "paid too late"
    LET_GO = "let_go", "seats let go by the fan"


class Booking(models.Model):
    MOVES = {
        BookingState.PENDING: {BookingState.CONFIRMED, BookingState.LAPSED},
        BookingState.CONFIRMED: {BookingState.CANCELLED},
        BookingState.LAPSED: set[str](),
        BookingState.CANCELLED: set[str](),
    }

    # What people say on the phone; it opens nothing.
    reference = models.CharField(max_length=20, unique=True)
    # The unguessable part of the booking's link: who has it may see and print the tickets.
    secret = models.CharField(max_length=64, unique=True)
    event = models.ForeignKey("events.Event", models.PROTECT, related_name="+")
    hold = models.ForeignKey("inventory.Hold", models.PROTECT, related_name="+")
    # The one that the fan knows: late money may have moved the booking to a hold of its own.
    first_hold = models.ForeignKey("inventory.Hold", models.PROTECT, related_name="+")
    # Of the hold when the booking started; confirm is refused with any other.
    fencing_token = models.BigIntegerField()
    state = models.CharField(max_length=10, choices=BookingState, default=BookingState.PENDING)
    lapse_reason = models.CharField(max_length=10, choices=LapseReason, blank=True)
    email = models.EmailField()
    # The person behind the address, as the limit for each person sees it: `bookings.people`.
    email_key = models.CharField(max_length=254)
    name = models.CharField(max_length=200)
    amount_minor = models.PositiveBigIntegerField()
    booking_fee_minor = models.PositiveBigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    # Which try of paying this is; each try is a payment of its own.
    attempt = models.PositiveSmallIntegerField(default=1)
    # What stood when it was made: until when the fan may cancel by himself, and what of the booking
    # fee is kept then; the lines say what is kept of them.
    fans_cancel_until = models.DateTimeField(null=True, blank=True)
    kept_booking_fee_minor = models.PositiveBigIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    lapsed_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["Booking"].as_manager()

    class Meta:
        permissions = [("cancel_booking", "Can cancel bookings and give their money back")]
        constraints = [
            models.CheckConstraint(
                name="bookings_booking_keeps_no_more_than_its_fee",
                condition=Q(kept_booking_fee_minor__lte=F("booking_fee_minor")),
            ),
            models.UniqueConstraint(
                fields=["hold"],
                condition=Q(state__in=[BookingState.PENDING, BookingState.CONFIRMED]),
                name="bookings_one_open_booking_per_hold",
            ),
            models.CheckConstraint(
                name="bookings_booking_has_the_times_of_its_state",
                condition=Q(
                    state=BookingState.PENDING,
                    confirmed_at=None,
                    lapsed_at=None,
                    cancelled_at=None,
                    lapse_reason="",
                )
                | Q(
                    state=BookingState.CONFIRMED,
                    confirmed_at__isnull=False,
                    lapsed_at=None,
                    cancelled_at=None,
                    lapse_reason="",
                )
                | (
                    Q(
                        state=BookingState.LAPSED,
                        confirmed_at=None,
                        lapsed_at__isnull=False,
                        cancelled_at=None,
                    )
                    & ~Q(lapse_reason="")
                )
                | Q(
                    state=BookingState.CANCELLED,
                    confirmed_at__isnull=False,
                    lapsed_at=None,
                    cancelled_at__isnull=False,
                    lapse_reason="",
                ),
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(state=BookingState.PENDING),
                name="bookings_pending_by_age",
            ),
            models.Index(fields=["email"], name="bookings_by_email"),
            models.Index(fields=["event", "email_key"], name="bookings_by_person"),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def total(self) -> Money:
        return Money(self.amount_minor, self.currency)

    @property
    def payment_reference(self) -> str:
        """What the payment of the present try is called; all that payments knows of a booking."""
        return f"{self.reference}-{self.attempt}"

    @property
    def payment_references(self) -> list[str]:
        """What the payments of all tries are called, the present one last."""
        return [f"{self.reference}-{attempt}" for attempt in range(1, self.attempt + 1)]


class Cause(models.TextChoices):
    """Who wanted a cancellation."""

    FAN = "fan", "cancelled by the fan"
    STAFF = "staff", "cancelled by staff"
    CALLED_OFF = "called_off", "event called off"
    # All of the money went back in the provider's dashboard.
    PAID_BACK = "paid_back", "paid back at the provider"


class Cancellation(Act):
    """Lines of a booking given back at one time, by whom and why; a trigger refuses any change."""

    booking = models.ForeignKey(Booking, models.PROTECT, related_name="cancellations")
    cause = models.CharField(max_length=10, choices=Cause)
    why = models.CharField(max_length=500, blank=True)
    # Promised back, and kept, of what these lines cost, and of the booking's fee with the last.
    refund_minor = models.PositiveBigIntegerField()
    kept_minor = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="bookings_cancellation_cause_is_known", condition=Q(cause__in=Cause.values)
            ),
            models.CheckConstraint(
                name="bookings_cancellation_says_who_and_why",
                condition=(~Q(by=None) | ~Q(by_name="")) & (~Q(why="") | Q(cause=Cause.FAN)),
            ),
        ]

    def __str__(self) -> str:
        return f"cancellation {self.pk} of booking {self.booking_id}"

    @property
    def refund(self) -> Money:
        return Money(self.refund_minor, self.booking.currency)

    @property
    def kept(self) -> Money:
        return Money(self.kept_minor, self.booking.currency)


class BookingLine(models.Model):
    """One ticket of the deal, with everything it says as it was when it was sold."""

    booking = models.ForeignKey(Booking, models.CASCADE, related_name="lines")
    position = models.PositiveSmallIntegerField()
    seat = models.ForeignKey(
        "inventory.EventSeat", models.PROTECT, related_name="+", null=True, blank=True
    )
    pool = models.ForeignKey(
        "inventory.AdmissionPool", models.PROTECT, related_name="+", null=True, blank=True
    )
    fare = models.ForeignKey(
        "events.Fare", models.PROTECT, related_name="+", null=True, blank=True, db_index=False
    )
    section_name = models.CharField(max_length=100)
    row_label = models.CharField(max_length=50, blank=True)
    seat_number = models.CharField(max_length=20, blank=True)
    zone_name = models.CharField(max_length=100)
    fare_name = models.CharField(max_length=100)
    # How many people it lets in: places of a pool that it takes; a seat is one.
    admits = models.PositiveSmallIntegerField(default=1, db_default=1)
    price_minor = models.PositiveBigIntegerField()
    fee_minor = models.PositiveBigIntegerField(default=0)
    # Not given back when it is cancelled, by the policy that stood when it was sold.
    kept_minor = models.PositiveBigIntegerField(default=0, db_default=0)
    cancellation = models.ForeignKey(
        Cancellation, models.PROTECT, related_name="lines", null=True, blank=True
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["booking", "position"], name="bookings_line_position_is_unique"
            ),
            models.CheckConstraint(
                name="bookings_line_keeps_no_more_than_it_cost",
                condition=Q(kept_minor__lte=F("price_minor") + F("fee_minor")),
            ),
            models.CheckConstraint(
                name="bookings_line_is_a_seat_or_pool_places",
                condition=Q(seat__isnull=False, pool__isnull=True, admits=1)
                | Q(seat__isnull=True, pool__isnull=False, admits__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.booking_id}/{self.position}"

    @property
    def paid_minor(self) -> int:
        return self.price_minor + self.fee_minor


class TicketState(models.TextChoices):
    VALID = "valid", "valid"
    REVOKED = "revoked", "revoked"


class Ticket(models.Model):
    """The right to one place."""

    MOVES = {TicketState.VALID: {TicketState.REVOKED}, TicketState.REVOKED: set[str]()}

    line = models.ForeignKey(BookingLine, models.PROTECT, related_name="tickets")
    state = models.CharField(max_length=10, choices=TicketState, default=TicketState.VALID)
    issued_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["Ticket"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["line"],
                condition=Q(state=TicketState.VALID),
                name="bookings_one_live_ticket_per_line",
            ),
            models.CheckConstraint(
                name="bookings_ticket_is_revoked_iff_it_has_the_time",
                condition=Q(state=TicketState.VALID, revoked_at=None)
                | Q(state=TicketState.REVOKED, revoked_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"ticket {self.pk}"


class Credential(models.Model):
    """The code that proves a ticket; a new one voids the old one."""

    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="credentials")
    code = models.CharField(max_length=64, unique=True)
    issued_at = models.DateTimeField()
    voided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["ticket"],
                condition=Q(voided_at=None),
                name="bookings_one_live_credential_per_ticket",
            )
        ]

    def __str__(self) -> str:
        return f"credential of ticket {self.ticket_id}"


class MailKind(models.TextChoices):
    CONFIRMED = "confirmed", "booking confirmed"
    LAPSED = "lapsed", "booking lapsed"
    CANCELLED = "cancelled", "tickets cancelled"


class Mail(models.Model):
    """One mail owed to a fan: at most one of a kind for each booking, or for each cancellation."""

    booking = models.ForeignKey(Booking, models.PROTECT, related_name="mails")
    kind = models.CharField(max_length=12, choices=MailKind)
    cancellation = models.OneToOneField(
        Cancellation, models.PROTECT, related_name="mail", null=True, blank=True
    )
    created_at = models.DateTimeField()
    # A worker is sending it; after a while without `sent_at`, another may.
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["booking", "kind"],
                condition=Q(cancellation=None),
                name="bookings_one_mail_of_a_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} to booking {self.booking_id}"
