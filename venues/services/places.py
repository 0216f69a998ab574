"""Venues by name."""

from dataclasses import dataclass

from django.db import transaction
from django.utils.text import slugify

from venues import clocks
from venues.models import Venue


@dataclass(frozen=True, slots=True)
class Hall:
    id: int
    time_zone: str
    is_new: bool


def find_or_create(
    *, name: str, time_zone: str, city: str = "", country: str = "", address: str = ""
) -> Hall:
    """The venue of this name, as it is, or a new one."""
    clocks.validate(time_zone)
    found = Venue.objects.filter(name=name).first()
    if found:
        return Hall(found.pk, found.time_zone, is_new=False)
    base = slugify(name)[:70] or "venue"
    taken = set(Venue.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    free = (f"{base}-{n}" if n > 1 else base for n in range(1, len(taken) + 2))
    slug = next(slug for slug in free if slug not in taken)
    with transaction.atomic(durable=True):
        made = Venue.objects.create(
            name=name, slug=slug, time_zone=time_zone, city=city, country=country, address=address
        )
    return Hall(made.pk, time_zone, is_new=True)
