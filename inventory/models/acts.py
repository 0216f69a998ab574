"""What somebody of the house did with places: append-only."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from inventory.models.blocks import Block
from inventory.models.holds import Hold
from ticketing.kernel.acting import Act

# Who, as a row says it: an account, or the name of whoever ran a command.
SAYS_WHO_AND_WHY = ~Q(why="") & (~Q(by=None) | ~Q(by_name=""))


class StaffAct(Act):
    """What somebody of the house did with places, and why; a trigger refuses any change of it."""

    why = models.CharField(max_length=500)

    class Meta:
        abstract = True


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
