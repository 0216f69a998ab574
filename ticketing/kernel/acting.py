"""Who of the house does something with places or bookings: written down, and never changed."""

from dataclasses import dataclass

from django.conf import settings
from django.db import models


@dataclass(frozen=True, slots=True)
class Actor:
    """An account of staff, or the name of whoever runs a command."""

    user_id: int | None = None
    name: str = ""

    @property
    def fields(self) -> dict[str, object]:
        return {"by_id": self.user_id, "by_name": self.name}


# For what the house does without being asked, such as loading a demo.
ITSELF = Actor(name="Ticketing itself")


class Act(models.Model):
    """Something that somebody did, and when."""

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    by_name = models.CharField(max_length=150, blank=True)
    at = models.DateTimeField()

    class Meta:
        abstract = True

    @property
    def who(self) -> str:
        return self.by.get_full_name() if self.by else self.by_name
