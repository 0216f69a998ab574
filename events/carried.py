"""The presale code that a browser carries: a signed cookie with the code's id, never the code.

It ends when the presale does. Whether the code still opens anything is asked each time: `terms`.
"""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse

SALT = "events.carried"


def code_of(request: HttpRequest, slug: str) -> int | None:
    """The id of the code that this browser showed at the event of this address, if it did."""
    said = request.get_signed_cookie(_name(slug), default=None, salt=SALT)
    return int(said) if said and said.isdecimal() else None


def keep(response: HttpResponse, slug: str, *, code_id: int, until: datetime) -> None:
    """Let the browser carry the code until the presale closes."""
    response.set_signed_cookie(
        _name(slug),
        str(code_id),
        salt=SALT,
        expires=until,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _name(slug: str) -> str:
    return f"presale-{slug}"
