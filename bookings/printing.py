"""Tickets on paper: drawn on the first download, and kept by ticket and credential."""

import hashlib
import os
import tempfile
from pathlib import Path

from django.conf import settings

from bookings import letters
from bookings.models import Booking
from bookings.tickets import pdf
from bookings.tickets.model import TicketFace


def all_tickets(booking: Booking) -> bytes | None:
    """One page for each valid ticket; None if the booking has none."""
    faces = letters.faces(booking)
    return pdf.render_all(faces) if faces else None


def one_ticket(booking: Booking, ticket_id: int) -> bytes | None:
    """The ticket's page; None if the booking has no such valid ticket."""
    tickets = letters.tickets_of(booking)
    for ticket, face in zip(tickets, letters.faces(booking), strict=True):
        if ticket.pk == ticket_id:
            return _kept(ticket_id, face)
    return None


def _kept(ticket_id: int, face: TicketFace) -> bytes:
    # A new credential, or anything else that is printed, makes another file.
    digest = hashlib.sha256(repr(face).encode()).hexdigest()
    path = Path(settings.MEDIA_ROOT) / "tickets" / f"{ticket_id}-{digest[:32]}.pdf"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        drawn = pdf.render(face)
        _write(path, drawn)
        return drawn


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: somebody else may be reading, or writing, the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).replace(path)
