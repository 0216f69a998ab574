"""Presale codes for a mailing: made, and printed this once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from events.models import OnSale, OnSaleKind
from events.services import access


class Command(BaseCommand):
    help = (
        "Makes codes for the presale of an event and prints them, one a line. Only a hash of each"
        " is kept, so nobody can print them a second time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the event's name in its address")
        parser.add_argument("--make", type=int, required=True, metavar="N", help="how many codes")
        parser.add_argument("--label", default="", help="what they are for, such as a letter")
        parser.add_argument(
            "--max-holds", type=int, help="purchases at one time for each code; else any number"
        )
        parser.add_argument(
            "--max-places", type=int, help="places for each fan; else as many as the event allows"
        )
        parser.add_argument(
            "--on-sale", type=int, metavar="ID", help="which presale, if the event has several"
        )

    def handle(
        self,
        *,
        slug: str,
        make: int,
        label: str,
        max_holds: int | None,
        max_places: int | None,
        on_sale: int | None,
        **_options: Any,
    ) -> None:
        if min(make, max_holds or 1, max_places or 1) < 1:
            raise CommandError("Numbers of codes, purchases and places are 1 or more.")
        made = access.make(
            on_sale_id=_presale(slug, on_sale),
            number=make,
            label=label,
            max_holds=max_holds,
            max_places=max_places,
        )
        self.stdout.write("\n".join(made))


def _presale(slug: str, wanted: int | None) -> int:
    sales = OnSale.objects.filter(event__slug=slug, kind=OnSaleKind.PRESALE).order_by("opens_at")
    found = list(sales.filter(pk=wanted) if wanted else sales)
    if not found:
        raise CommandError(f"“{slug}” has no such presale. Add one on its page in the admin.")
    if len(found) > 1:
        names = "\n".join(f"  --on-sale {sale.pk}: {sale}" for sale in found)
        raise CommandError(f"“{slug}” has several presales. Choose one:\n{names}")
    return found[0].pk
