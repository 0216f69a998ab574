"""The web process dies at every statement of `place` and at both calls to the gate.

It is killed before the server hears, or after it has answered. Each time the same form sent again
leads to one hold, and where nobody comes again the seats are the next fan's.
"""

import hashlib
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from events.models import Event
from inventory import gate
from inventory.models import EventSeat, Hold, HoldState, SeatState
from tests.faults.browser import Browser, reference_in
from tests.faults.shop import Shop
from tests.faults.wire import Moment
from tests.inventory.asking import lapse
from ticketing.kernel import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("store")]


class Step(NamedTuple):
    """One request of `place`, by what only it says."""

    of: str
    text: str


def script(name):
    text = (gate.SCRIPTS / f"{name}.lua").read_bytes()
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


STEPS = {
    "claim": Step("valkey", script("claim")),
    "begin": Step("postgres", "BEGIN"),
    "lock the fan": Step("postgres", "pg_advisory_xact_lock"),
    "look": Step("postgres", "SELECT id, reference, owner"),
    "lock the seats": Step("postgres", "FOR UPDATE"),
    "write": Step("postgres", "INSERT INTO inventory_hold "),
    "commit": Step("postgres", "COMMIT"),
    "keep": Step("valkey", script("keep")),
}


class Point(NamedTuple):
    step: str
    moment: Moment


POINTS = [Point(step, moment) for step in STEPS for moment in ("before", "after")]
COMMITTED = POINTS[POINTS.index(Point("commit", "after")) :]
# Where what is left behind differs: a claim, a transaction, a hold, a hold that the gate knows.
TURNS = [
    Point("claim", "after"),
    Point("commit", "before"),
    Point("commit", "after"),
    Point("keep", "after"),
]
everywhere = pytest.mark.parametrize("point", POINTS, ids=" ".join)
everywhere_in_time = pytest.mark.parametrize(
    "point",
    [
        pytest.param(point, id=" ".join(point), marks=[] if point in TURNS else pytest.mark.long)
        for point in POINTS
    ],
)


def kill_at(shop: Shop, point: Point, fan: Browser, seats: list[int]) -> None:
    step = STEPS[point.step]
    wire = {"postgres": shop.postgres, "valkey": shop.valkey}[step.of]
    shop.killed_at(wire, step.text, point.moment, lambda: fan.hold(seats))


@pytest.fixture
def fan(shop, event):
    return browser(shop, event)


def browser(shop, event):
    fan = Browser(shop.office.url, event)
    fan.open_form()
    return fan


def seats_of(hold):
    return sorted(EventSeat.objects.filter(hold=hold).values_list("pk", flat=True))


def free(event):
    return EventSeat.objects.filter(event=event, state=SeatState.AVAILABLE, hold=None).count()


def test_these_are_all_the_steps(shop, seats, fan):
    asked = {"postgres": shop.postgres.heard, "valkey": shop.valkey.heard}
    for heard in asked.values():
        heard.clear()

    assert reference_in(fan.hold(seats[:2]))

    statements = asked["postgres"][asked["postgres"].index("BEGIN") :]
    scripts = [request for request in asked["valkey"] if "EVALSHA" in request]
    named = [step.text for step in STEPS.values() if step.of == "postgres"]
    assert len(statements) == len(named) == 6
    assert all(text in said for text, said in zip(named, statements, strict=True))
    assert [script("claim") in scripts[0], script("keep") in scripts[1]] == [True, True]
    assert len(scripts) == 2


@everywhere
def test_the_same_form_sent_again_is_one_hold(shop, event, seats, fan, point):
    kill_at(shop, point, fan, seats[:2])
    assert Hold.objects.count() == (point in COMMITTED)

    again = fan.hold(seats[:2])

    hold = Hold.objects.get()
    assert (hold.state, str(hold.reference)) == (HoldState.ACTIVE, reference_in(again))
    assert seats_of(hold) == seats[:2]
    assert free(event) == len(seats) - 2
    assert list(audit.run()) == []


def test_without_his_form_a_fan_would_be_refused_his_own_seats(shop, event, seats, fan):
    kill_at(shop, Point("commit", "after"), fan, seats[:2])

    assert reference_in(browser(shop, event).hold(seats[:2])) is None


@everywhere_in_time
def test_the_seats_of_who_never_comes_again_are_the_next_fans(shop, event, seats, fan, point):
    kill_at(shop, point, fan, seats[:2])
    let_the_leases_end(event, point)

    got = browser(shop, event).hold(seats[:2])

    hold = Hold.objects.get(reference=str(reference_in(got)))
    assert seats_of(hold) == seats[:2]
    assert not Hold.objects.exclude(pk=hold.pk).exclude(state=HoldState.EXPIRED).exists()
    assert free(event) == len(seats) - 2
    assert list(audit.run()) == []


def let_the_leases_end(event: Event, point: Point) -> None:
    """As time would: of a hold in PostgreSQL, and in the gate, where every claim must have one."""
    for hold in Hold.objects.all():
        lapse(SimpleNamespace(hold_id=hold.pk))
    store, key = gate._store(), gate._key(event.pk)
    claimed = [field for field in store.hkeys(key) if field.isdigit()]
    if point == Point("claim", "before"):
        assert claimed == []
    lease = event.lease_seconds * 1000
    longest = lease if point == Point("keep", "after") else gate.CLAIM_MS
    for field in claimed:
        # -1 would be for ever; one that is over by now says -2.
        assert -1 != store.hpttl(key, field)[0] <= longest
        store.hpexpire(key, 0, field)
