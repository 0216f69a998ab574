"""Tickets as PDF, by Typst. See `ticket.typ` for what they look like."""

import json
import threading
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

import typst
from django.utils.translation import get_language, gettext

from bookings.tickets import credentials, qr
from bookings.tickets.fonts import folders, printable
from bookings.tickets.model import TicketFace

TEMPLATE = Path(__file__).with_name("ticket.typ")

_of_this_thread = threading.local()


def render(face: TicketFace) -> bytes:
    """One ticket on one page. The same face gives the same bytes."""
    return render_all([face])


def render_all(faces: Sequence[TicketFace]) -> bytes:
    """One page for each ticket, in this order, each with its own code only."""
    data = {
        "tickets": [_printed(face) for face in faces],
        "words": _words(),
        "language": (get_language() or "en").split("-")[0],
    }
    # As data, never as source: no name can say anything to Typst.
    inputs = {"data": json.dumps(data)}
    try:
        pdf = _compiler().compile(format="pdf", sys_inputs=inputs, pdf_standards=["ua-1"])
    except typst.TypstError:
        # The standard for accessible documents refuses any missing glyph, and Typst gives up on
        # lines of very many scripts. A box in a name is better than a fan without a ticket.
        pdf = _compiler().compile(format="pdf", sys_inputs=inputs)
    if not isinstance(pdf, bytes):
        raise TypeError(f"Typst answered with {type(pdf).__name__}, not with one document")
    return pdf


def _printed(face: TicketFace) -> dict[str, str]:
    texts = {name: printable(text) for name, text in asdict(face).items()}
    return texts | {"code": credentials.grouped(face.code), "qr": qr.svg(face.code)}


def _words() -> dict[str, str]:
    return {
        "ticket": gettext("Ticket"),
        "when": gettext("When"),
        "where": gettext("Where"),
        "section": gettext("Section"),
        "area": gettext("Area"),
        "row": gettext("Row"),
        "seat": gettext("Seat"),
        "unnumbered": gettext("No numbered seat"),
        "zone": gettext("Price zone"),
        "fare": gettext("Fare"),
        "price": gettext("Price"),
        "holder": gettext("Ticket holder"),
        "reference": gettext("Booking"),
        "show": gettext("Show this code at the entrance"),
        "qr": gettext("QR code of this ticket"),
        "terms": gettext(
            "This code opens the door once, for whoever shows it first: keep it to yourself and "
            "post no picture of it. On paper or on your phone, both are fine. If a ticket is "
            "given to somebody else, the old code stops working."
        ),
    }


def _compiler() -> typst.Compiler:
    """The compiler of this thread: one cannot be shared between threads."""
    if not hasattr(_of_this_thread, "compiler"):
        _of_this_thread.compiler = typst.Compiler(
            TEMPLATE, root=TEMPLATE.parent, font_paths=_fonts(), ignore_system_fonts=True
        )
    compiler: typst.Compiler = _of_this_thread.compiler
    return compiler


@cache
def _fonts() -> typst.Fonts:
    """The list of fonts, which threads can share."""
    return typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=list(folders())
    )
