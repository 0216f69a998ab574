"""What pages say of cancelling: what may go back, what would, and what became of what did."""

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _

from bookings import letters, selectors
from bookings.models import Booking, BookingLine, Cancellation
from bookings.services.cancellations import Preview
from payments import selectors as payments
from payments.selectors import RefundView
from ticketing.kernel.money import Money
from venues import naming


def choices(booking: Booking, chosen: Collection[int]) -> list[dict[str, Any]]:
    """The tickets that are still sold, each with what it cost; one alone is always chosen."""
    sold = list(booking.lines.filter(cancellation=None).order_by("position"))
    return [
        {
            "id": line.pk,
            "place": place_of(line),
            "fare": letters.fare_of(line),
            "paid": Money(line.paid_minor, booking.currency).display(),
            "chosen": line.pk in chosen or len(sold) == 1,
        }
        for line in sold
    ]


def shown(preview: Preview) -> dict[str, Any]:
    """What goes back, before the click."""
    rows = [
        {"name": f"{place_of(line)}, {letters.fare_of(line)}", "amount": amount.display()}
        for line, amount in preview.lines
    ]
    if preview.booking_fee.minor:
        rows.append({"name": _("Booking fee"), "amount": preview.booking_fee.display()})
    return {
        "ids": [line.pk for line, _amount in preview.lines],
        "rows": rows,
        "back": preview.back.display(),
        "back_minor": preview.back.minor,
        "kept": preview.kept.display() if preview.kept.minor else "",
        "is_whole": preview.is_whole,
    }


def story(booking: Booking) -> list[dict[str, str]]:
    """The booking's cancellations, the first one first, and how far their money is."""
    found = payments.refunds(booking.payment_reference)
    refunds = {refund.reference: refund for refund in found}
    told = []
    for made in booking.cancellations.order_by("pk").prefetch_related("lines"):
        places = [place_of(line) for line in made.lines.all()]
        refund = refunds.get(selectors.refund_reference(booking, made.pk))
        told.append({"places": "; ".join(places), "money": _money(made, refund)})
    return told


def place_of(line: BookingLine) -> str:
    return naming.place_name(line.section_name, line.row_label, line.seat_number)


def _money(made: Cancellation, refund: RefundView | None) -> str:
    if not made.refund_minor:
        return _("Nothing goes back.")
    said = _("%(amount)s goes back to you within a few days.")
    if refund is None:
        said = _("%(amount)s was only reserved on your card: the reservation ends by itself.")
    elif refund.is_back:
        said = _("%(amount)s was given back.")
    elif refund.has_failed:
        said = _("%(amount)s could not be given back yet. The box office is looking after it.")
    return said % {"amount": made.refund.display()}
