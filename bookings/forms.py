"""What fans send, bounded and in types; the words of a refusal are here as well."""

from django import forms
from django.core.validators import MaxLengthValidator
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.terms import Terms
from inventory.wishes import PoolWish, SeatWish, Wish
from ticketing.kernel import idempotency
from ticketing.kernel.shapes import MAX_ID

# More than anybody may hold: what is longer is not a wish but an accident or an attack.
MOST_SEATS = 200


class BadForm(Exception):
    """The form cannot be read; the text says so to the fan."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class BuyerForm(forms.Form):
    email = forms.EmailField(
        max_length=254,
        error_messages={
            "required": gettext_lazy("Please say where we may send the tickets."),
            "invalid": gettext_lazy("This does not look like an email address."),
        },
    )
    name = forms.CharField(
        max_length=200,
        validators=[MaxLengthValidator(200)],
        error_messages={"required": gettext_lazy("Please tell us your name.")},
    )
    accept_terms = forms.BooleanField(
        error_messages={"required": gettext_lazy("Please accept the terms to go on.")}
    )


def read_wish(data: QueryDict, sale: Terms, *, may_be_empty: bool = False) -> Wish:
    """The seats or pool places that the form asks for; of a pool it counts tickets.

    Raises BadForm.
    """
    seats = data.getlist("seats")
    if len(seats) > MOST_SEATS:
        raise BadForm(
            _("You chose %(n)s seats, which is more than anybody can hold. Choose fewer.")
            % {"n": len(seats)}
        )
    fare = number(data["fare"]) if data.get("fare") else None
    pool = data.get("pool")
    tickets = {
        number(name.removeprefix("quantity_")): number(value)
        for name, value in data.items()
        if pool and name.startswith("quantity_") and str(value).strip() not in {"", "0"}
    }
    wish = Wish(
        seats=tuple(SeatWish(number(seat), fare) for seat in seats),
        pools=tuple(
            PoolWish(number(pool), many * sale.places_of(fare_id), fare_id)
            for fare_id, many in tickets.items()
        ),
    )
    if not wish.places and not may_be_empty:
        raise BadForm(_("Choose at least one seat first."))
    return wish


def read_key(data: QueryDict) -> str:
    """The key that came with the form, cut to what a hold keeps of it. Raises BadForm."""
    return _readable(data.get("idempotency_key", ""))[: idempotency.MAX_KEY // 2]


def read_section(data: QueryDict) -> str:
    """The section whose page the form was on, if it was on one. Raises BadForm."""
    return _readable(data.get("section", ""))


def read_fares(data: QueryDict) -> dict[int, int]:
    """The fare chosen for each line of a hold. Raises BadForm."""
    return {
        number(name.removeprefix("fare_")): number(value)
        for name, value in data.items()
        if name.startswith("fare_")
    }


def read_lines(data: QueryDict) -> list[int]:
    """The booking lines that were ticked. Raises BadForm."""
    return [number(line) for line in data.getlist("lines")[:MOST_SEATS]]


def _readable(text: object) -> str:
    """A text that a database can keep. Raises BadForm."""
    said = str(text)
    if "\0" in said:
        raise BadForm(_("Something in this form cannot be read. Load the page again, please."))
    return said


def number(text: object) -> int:
    """A number as a form carries it. Raises BadForm."""
    said = str(text).strip()
    is_short = said.isascii() and said.isdecimal() and len(said) <= len(str(MAX_ID))
    if not is_short or int(said) > MAX_ID:
        raise BadForm(_("Something in this form is not a number. Load the page again, please."))
    return int(said)
