from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from ticketing.kernel.states import StatefulQuerySet
from venues import clocks


class Venue(models.Model):
    name = models.CharField(max_length=200, unique=True)
    slug = models.SlugField(max_length=80, unique=True)
    address = models.CharField(max_length=300, blank=True)
    city = models.CharField(max_length=100, blank=True)
    country = models.CharField(max_length=2, blank=True, help_text="Two letters: DE, JP, US.")
    # Every time that a person is shown is in this zone.
    time_zone = models.CharField(max_length=64, help_text="An IANA name: Europe/Berlin.")

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        try:
            clocks.validate(self.time_zone)
        except ValidationError as error:
            raise ValidationError({"time_zone": error.messages}) from error


class SeatMapState(models.TextChoices):
    DRAFT = "draft", "draft"
    PUBLISHED = "published", "published"
    RETIRED = "retired", "retired"


class SeatMap(models.Model):
    """One version of a hall's plan."""

    MOVES = {
        SeatMapState.DRAFT: {SeatMapState.PUBLISHED},
        SeatMapState.PUBLISHED: {SeatMapState.RETIRED},
        SeatMapState.RETIRED: set[str](),
    }

    venue = models.ForeignKey(Venue, models.PROTECT, related_name="seat_maps")
    name = models.CharField(max_length=200)
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=SeatMapState, default=SeatMapState.DRAFT)
    # Of the canonical document, in hex; addresses of geometry carry it.
    content_hash = models.CharField(max_length=64, blank=True)
    # In the plan's own units; the origin is the upper left corner.
    width = models.FloatField()
    height = models.FloatField()
    # The stage, texts and outlines: what is drawn but not sold. See `seatmaps.Shape`.
    shapes = models.JSONField(default=list)
    # Name and colour of each category, in the plan's order.
    categories = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)

    objects = StatefulQuerySet["SeatMap"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["venue", "name", "version"], name="venues_seat_map_version_is_unique"
            ),
            models.CheckConstraint(
                name="venues_seat_map_is_published_with_hash_and_time",
                condition=Q(state=SeatMapState.DRAFT, published_at=None)
                | (~Q(state=SeatMapState.DRAFT) & ~Q(content_hash="") & ~Q(published_at=None)),
            ),
            models.CheckConstraint(
                name="venues_seat_map_state_is_known", condition=Q(state__in=SeatMapState.values)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class SectionKind(models.TextChoices):
    SEATED = "seated", "seated"
    STANDING = "standing", "general admission"


class Section(models.Model):
    """A part of the hall that a fan chooses first: a block, a floor, a balcony, a standing area."""

    seat_map = models.ForeignKey(SeatMap, models.CASCADE, related_name="sections")
    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=80)
    kind = models.CharField(max_length=10, choices=SectionKind, default=SectionKind.SEATED)
    # The order in which sections are listed, nearest the stage first.
    rank = models.PositiveIntegerField()
    # Corners as [x, y], in the map's units; drawn on the overview.
    outline = models.JSONField(default=list)
    # Of a standing section; a seated one has as many places as seats.
    capacity = models.PositiveIntegerField(default=0)
    # Of a standing section; seats have their own.
    category = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["seat_map", "slug"], name="venues_section_slug_is_unique_in_map"
            ),
            models.CheckConstraint(
                name="venues_section_has_capacity_iff_standing",
                condition=Q(kind=SectionKind.STANDING, capacity__gt=0)
                | Q(kind=SectionKind.SEATED, capacity=0),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Row(models.Model):
    section = models.ForeignKey(Section, models.CASCADE, related_name="rows")
    label = models.CharField(max_length=50)
    rank = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["section", "label"], name="venues_row_label_is_unique_in_section"
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Seat(models.Model):
    seat_map = models.ForeignKey(SeatMap, models.CASCADE, related_name="seats")
    row = models.ForeignKey(Row, models.CASCADE, related_name="seats")
    guid = models.CharField(max_length=100)
    number = models.CharField(max_length=20)
    category = models.CharField(max_length=100)
    # Seats of one row between two aisles share a segment, counted from 0.
    segment = models.PositiveSmallIntegerField(default=0)
    # The order along the row, from 0, over all its segments.
    position = models.PositiveSmallIntegerField()
    # The order in the whole map, from 0: a seat's place in the status bitmap.
    index = models.PositiveIntegerField()
    x = models.FloatField()
    y = models.FloatField()
    is_wheelchair = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["seat_map", "guid"], name="venues_seat_guid_is_unique_in_map"
            ),
            models.UniqueConstraint(
                fields=["seat_map", "index"], name="venues_seat_index_is_unique_in_map"
            ),
            models.UniqueConstraint(
                fields=["row", "position"], name="venues_seat_position_is_unique_in_row"
            ),
        ]

    def __str__(self) -> str:
        return self.guid
