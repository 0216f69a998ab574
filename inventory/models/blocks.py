"""Seats that the organizer keeps, and why."""

from django.conf import settings
from django.db import models
from django.db.models import Q


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
