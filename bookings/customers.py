"""Whose a partner's holds are: the partner's own, or those of a customer that he names.

What counts for one person (a live hold at an event, the limit, the key of a wish) counts for a
customer. Who he is stays with the partner: we keep a keyed hash of the reference.
"""

from django.utils.crypto import salted_hmac

from ticketing.accounts.partners import Caller

SALT = "bookings.customers"
DIGITS = 32


def owner(caller: Caller, customer: str | None) -> str:
    """The name under which a partner holds for this customer, or for nobody in particular."""
    if customer is None:
        return caller.owner
    told = salted_hmac(SALT, f"{caller.owner}:{customer}", algorithm="sha256").hexdigest()
    return f"{caller.owner}:{told[:DIGITS]}"


def is_of(caller: Caller, owner: str) -> bool:
    """Whether a hold of this owner is the partner's."""
    return owner == caller.owner or owner.startswith(f"{caller.owner}:")
