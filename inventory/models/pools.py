"""Counted places without seats."""

from django.db import models
from django.db.models import F, Q


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
