"""Presale codes: made once and shown once, and later recognised."""

from datetime import datetime

from django.db import IntegrityError, transaction

from events import codes
from events.errors import CodeRefused, NotAPresale, UnfitCode
from events.models import AccessCode, OnSale, OnSaleKind
from ticketing.kernel import constraints


def make(
    *,
    on_sale_id: int,
    number: int,
    label: str = "",
    max_holds: int | None = None,
    max_places: int | None = None,
) -> list[str]:
    """Make that many codes and return them: nobody can see them a second time.

    Raises NotAPresale.
    """
    made = [codes.generate() for _ in range(number)]
    _keep(on_sale_id, made, label, max_holds, max_places)
    return made


def add(
    *,
    on_sale_id: int,
    code: str,
    label: str = "",
    max_holds: int | None = None,
    max_places: int | None = None,
) -> None:
    """Let a word that the organizer chose open the presale. Raises NotAPresale or UnfitCode."""
    if len(codes.normalized(code)) < codes.SHORTEST:
        raise UnfitCode(f"fewer than {codes.SHORTEST} letters and digits")
    try:
        _keep(on_sale_id, [code], label, max_holds, max_places)
    except IntegrityError as error:
        if constraints.violated_by(error) == "events_access_code_is_unique_in_on_sale":
            raise UnfitCode("this presale has it already") from error
        raise


def recognise(*, event_id: int, code: str, at: datetime) -> int:
    """The id of the code that opens a presale of this event at this moment. Raises CodeRefused."""
    found = (
        AccessCode.objects.filter(
            digest__in=codes.digests(code),
            on_sale__event_id=event_id,
            on_sale__kind=OnSaleKind.PRESALE,
            on_sale__opens_at__lte=at,
            on_sale__closes_at__gt=at,
        )
        .order_by("pk")
        .values_list("pk", flat=True)
        .first()
    )
    if found is None:
        raise CodeRefused
    return found


def _keep(
    on_sale_id: int, made: list[str], label: str, max_holds: int | None, max_places: int | None
) -> None:
    with transaction.atomic(durable=True):
        # Locked, so that it stays a presale until its codes are there.
        if OnSale.objects.select_for_update().get(pk=on_sale_id).kind != OnSaleKind.PRESALE:
            raise NotAPresale(on_sale_id)
        AccessCode.objects.bulk_create(
            AccessCode(
                on_sale_id=on_sale_id,
                digest=codes.digest(code),
                label=label,
                max_holds=max_holds,
                max_places=max_places,
            )
            for code in made
        )
