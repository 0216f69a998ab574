"""Presale codes: attempts at showing one are bounded, and so are the holds that go by one."""

from datetime import datetime, timedelta

from django.db import connection

from events import terms as events
from events.errors import CodeRefused
from events.services import access
from events.terms import Access, Terms
from inventory import selectors
from inventory.errors import AccessUsedUp
from inventory.selectors import HAS_PLACES
from inventory.services import locks
from ticketing.kernel import attempts, transactions

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
    found = events.of(event_id, access=code_id).access
    if found is None or _is_used_up(found):
        raise CodeRefused
    attempts.give_back(what, most=most, within=WITHIN)
    return found


# Lapsed ones as well: they are ended first where they are in the way, so that one which is being
# paid at this very moment is either ended or counted.
COUNT = f"""
SELECT count(*) FROM inventory_hold AS hold WHERE access_code_id = %s
AND state IN ('active', 'confirmed') AND {HAS_PLACES}
"""  # noqa: S608


def check_room(*, terms: Terms, at: datetime) -> None:
    """Insist that the hold that was just written is not one too many for the code it goes by.

    Joins the caller's transaction. Raises AccessUsedUp.
    """
    transactions.require()
    code = terms.access_at(at)
    if code is None or code.max_holds is None:
        return
    locks.access_code(code.code_id)
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [code.code_id])
        if cursor.fetchone()[0] > code.max_holds:
            raise AccessUsedUp(code.code_id)


def _is_used_up(access: Access) -> bool:
    """Whether as many live holds and bookings go by the code as may."""
    if access.max_holds is None:
        return False
    return selectors.uses_of_codes([access.code_id]).get(access.code_id, 0) >= access.max_holds
