from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from events import pricing
from ticketing.kernel.money import CURRENCIES, Money
from ticketing.kernel.states import StatefulQuerySet


class Organizer(models.Model):
    name = models.CharField(max_length=200, unique=True)
    slug = models.SlugField(max_length=80, unique=True)
    # Who may see and change what is this organizer's, in the admin.
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="organizers", blank=True
    )

    class Meta:
        permissions = [("see_every_organizer", "Can see what every organizer has")]

    def __str__(self) -> str:
        return self.name


class Series(models.Model):
    """The show, run or tour that events belong to; it groups, it sells nothing."""

    organizer = models.ForeignKey(Organizer, models.PROTECT, related_name="series")
    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    description = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return self.name


class EventState(models.TextChoices):
    DRAFT = "draft", "draft"
    PUBLISHED = "published", "published"
    POSTPONED = "postponed", "postponed"
    CANCELLED = "cancelled", "cancelled"


class Event(models.Model):
    MOVES = {
        EventState.DRAFT: {EventState.PUBLISHED},
        EventState.PUBLISHED: {EventState.POSTPONED, EventState.CANCELLED},
        EventState.POSTPONED: {EventState.PUBLISHED, EventState.CANCELLED},
        EventState.CANCELLED: set[str](),
    }

    organizer = models.ForeignKey(Organizer, models.PROTECT, related_name="events")
    series = models.ForeignKey(Series, models.PROTECT, related_name="events", null=True, blank=True)
    title = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    description = models.TextField(blank=True)
    venue = models.ForeignKey("venues.Venue", models.PROTECT, related_name="+")
    # Empty for general admission only. A published version, which can no longer change.
    seat_map = models.ForeignKey(
        "venues.SeatMap", models.PROTECT, related_name="+", null=True, blank=True
    )
    doors_at = models.DateTimeField(null=True, blank=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=12, choices=EventState, default=EventState.DRAFT)
    currency = models.CharField(max_length=3, choices=[(code, code) for code in CURRENCIES])
    # The switch that stops all new holds at once, whatever the on-sales say.
    is_paused = models.BooleanField(default=False)
    # Long enough to type a card number, short enough that seats come back while others wait.
    lease_seconds = models.PositiveIntegerField(default=420, validators=[MinValueValidator(30)])
    # How long a fan has for the payment itself, from the moment it starts.
    payment_seconds = models.PositiveIntegerField(default=600, validators=[MinValueValidator(60)])
    # No extension carries a hold further than this from its start.
    max_lease_seconds = models.PositiveIntegerField(
        default=1200, validators=[MinValueValidator(60)]
    )
    # Places that one fan may hold and own at one time.
    limit_per_fan = models.PositiveSmallIntegerField(default=8, validators=[MinValueValidator(1)])
    # Until so many hours before the start fans may cancel by themselves; empty is never.
    fans_cancel_hours = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Until so many hours before the start. Empty: only staff cancel.",
    )
    # Of each ticket that is cancelled, beside the fees that are not given back.
    cancellation_fee_minor = models.PositiveBigIntegerField(
        default=0,
        db_default=0,
        help_text="Kept of each ticket, in minor units: 250 is 2.50 EUR, or 250 JPY.",
    )
    # Set once, when inventory has made the event's seats and pools.
    opened_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = StatefulQuerySet["Event"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="events_event_state_is_known", condition=Q(state__in=EventState.values)
            ),
            models.CheckConstraint(
                name="events_event_ends_after_it_starts",
                condition=Q(ends_at=None) | Q(ends_at__gt=F("starts_at")),
                violation_error_message="The end must be after the start.",
            ),
            models.CheckConstraint(
                name="events_doors_open_before_the_start",
                condition=Q(doors_at=None) | Q(doors_at__lte=F("starts_at")),
                violation_error_message="The doors must open before the start.",
            ),
            models.CheckConstraint(
                name="events_lease_is_within_its_cap",
                condition=Q(
                    lease_seconds__gte=30,
                    lease_seconds__lte=F("max_lease_seconds"),
                    max_lease_seconds__lte=86400,
                ),
                violation_error_message="The lease must be 30 seconds or more, and within its cap.",
            ),
            models.CheckConstraint(
                name="events_limit_per_fan_is_positive", condition=Q(limit_per_fan__gte=1)
            ),
            models.CheckConstraint(
                name="events_cancellation_fee_is_bounded",
                condition=Q(cancellation_fee_minor__lte=10_000_000_00),
            ),
        ]
        indexes = [models.Index(fields=["starts_at"], name="events_by_start")]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        if self.seat_map is None:
            return
        if self.seat_map.venue_id != self.venue_id:
            raise ValidationError({"seat_map": _("This is a map of another venue.")})
        if self.seat_map.published_at is None:
            raise ValidationError({"seat_map": _("Publish this map first: drafts may change.")})


class OnSaleKind(models.TextChoices):
    PUBLIC = "public", "public sale"
    PRESALE = "presale", "presale"


class OnSale(models.Model):
    """A window in which some public may buy: from `opens_at` until just before `closes_at`."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="on_sales")
    kind = models.CharField(max_length=10, choices=OnSaleKind, default=OnSaleKind.PUBLIC)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="events_on_sale_closes_after_it_opens",
                condition=Q(closes_at__gt=F("opens_at")),
                violation_error_message="The sale must close after it opens.",
            ),
        ]

    def __str__(self) -> str:
        opens = timezone.localtime(self.opens_at)
        return f"{self.get_kind_display()} from {opens:%Y-%m-%d %H:%M %Z}"


class AccessCode(models.Model):
    """Opens a presale to whoever knows it; the code itself is kept nowhere."""

    on_sale = models.ForeignKey(OnSale, models.CASCADE, related_name="access_codes")
    # A keyed hash: whoever reads it can neither learn nor test a code.
    digest = models.CharField(max_length=64, editable=False)
    # For the organizer, such as "fan club letter 3".
    label = models.CharField(max_length=100, blank=True)
    # Live holds and bookings that may go by it at one time; empty is any number.
    max_holds = models.PositiveIntegerField(null=True, blank=True)
    # Places that one fan may have by it, if fewer than the event's own limit.
    max_places = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["on_sale", "digest"], name="events_access_code_is_unique_in_on_sale"
            ),
            models.CheckConstraint(
                name="events_access_code_lets_somebody_in",
                condition=(Q(max_holds=None) | Q(max_holds__gte=1))
                & (Q(max_places=None) | Q(max_places__gte=1)),
                violation_error_message="The limits of a code are 1 or more, or empty.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label or 'code'} {self.pk}"


class PriceZone(models.Model):
    """Where you sit: the categories of the seat map that cost the same."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="price_zones")
    name = models.CharField(max_length=100)
    # Dearest first. Gives the zone its letter and its colour on the map: 0 is A.
    rank = models.PositiveSmallIntegerField()
    # Of the seat map, by name; empty for a zone that only general admission uses.
    categories = ArrayField(models.CharField(max_length=100), default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "name"], name="events_zone_name_is_unique_in_event"
            ),
            models.UniqueConstraint(
                fields=["event", "rank"], name="events_zone_rank_is_unique_in_event"
            ),
            models.CheckConstraint(name="events_zone_rank_is_a_letter", condition=Q(rank__lt=26)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def letter(self) -> str:
        return pricing.letter(self.rank)


class Fare(models.Model):
    """Who you are: adult, child, member, family."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="fares")
    name = models.CharField(max_length=100)
    # The first is what a fan gets who chose none.
    rank = models.PositiveSmallIntegerField()
    # Of a pool, that one ticket takes, and as many people does it let in; a seat is one place.
    places = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="That one ticket takes, such as 4 for a family"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "name"], name="events_fare_name_is_unique_in_event"
            ),
            models.UniqueConstraint(
                fields=["event", "rank"], name="events_fare_rank_is_unique_in_event"
            ),
            models.CheckConstraint(
                name="events_fare_takes_a_place_or_some",
                condition=Q(places__gte=1, places__lte=50),
                violation_error_message="One ticket takes from 1 to 50 places.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Price(models.Model):
    zone = models.ForeignKey(PriceZone, models.CASCADE, related_name="prices")
    fare = models.ForeignKey(Fare, models.CASCADE, related_name="prices")
    amount_minor = models.PositiveBigIntegerField(
        help_text="In minor units: 1250 is 12.50 EUR, or 1250 JPY."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["zone", "fare"], name="events_one_price_per_zone_and_fare"
            ),
            models.CheckConstraint(
                name="events_price_is_bounded", condition=Q(amount_minor__lte=10_000_000_00)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.zone} {self.fare}: {Money(self.amount_minor, self.zone.event.currency)}"


class FeeKind(models.TextChoices):
    TICKET = "ticket", "for each ticket"
    BOOKING = "booking", "for each booking"


class Fee(models.Model):
    """Added openly: a ticket's fee is part of the first price a fan sees."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="fees")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=FeeKind, default=FeeKind.TICKET)
    amount_minor = models.PositiveBigIntegerField()
    is_refundable = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "name"], name="events_fee_name_is_unique_in_event"
            ),
            models.CheckConstraint(
                name="events_fee_is_bounded", condition=Q(amount_minor__lte=10_000_000_00)
            ),
        ]

    def __str__(self) -> str:
        return self.name
