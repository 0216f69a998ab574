"""Presale codes at the door: attempts at showing one are bounded."""

from datetime import datetime, timedelta

from events import terms
from events.errors import CodeRefused
from events.services import access
from events.terms import Access
from inventory import selectors
from ticketing.kernel import attempts

# A fan mistypes a few times. A network may be a whole school; each wrong code there still counts.
PER_BROWSER = 10
PER_NETWORK = 100
WITHIN = timedelta(minutes=10)


def redeem(*, event_id: int, code: str, browser: str, network: str, at: datetime) -> Access:
    """What a code opens that a fan typed, if it can be used now.

    Raises CodeRefused, whether it is wrong, over or used up; TooManyAttempts or CannotCount.
    """
    what = f"presale:{event_id}"
    most = {f"browser {browser}": PER_BROWSER, f"network {network}": PER_NETWORK}
    attempts.spend(what, most=most, within=WITHIN)
    code_id = access.recognise(event_id=event_id, code=code, at=at)
    found = terms.of(event_id, access=code_id).access
    if found is None or is_used_up(found):
        raise CodeRefused
    attempts.give_back(what, most=most, within=WITHIN)
    return found


def is_used_up(access: Access) -> bool:
    """Whether as many live holds and bookings go by the code as may."""
    if access.max_holds is None:
        return False
    return selectors.uses_of_codes([access.code_id]).get(access.code_id, 0) >= access.max_holds
