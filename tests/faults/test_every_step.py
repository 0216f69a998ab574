"""A process dies just before and just after every commit and every call of the saga.

`steps.txt` lists them, each under the first journey that takes it. Whoever adds one adds a line.
"""

import re
from pathlib import Path

import pytest
import requests

from bookings.models import Booking
from payments import stripe
from tests import box_office
from tests.faults import staff as at_work
from tests.faults.agreement import assert_everything_agrees, sent_twice
from tests.faults.buyer import Buyer
from tests.faults.journeys import JOURNEYS, Journey, Story, pays_and_returns
from tests.faults.staff import Step

pytestmark = pytest.mark.django_db(transaction=True)


def read_steps() -> dict[str, list[Step]]:
    steps: dict[str, list[Step]] = {}
    journey = ""
    for line in Path(__file__).with_name("steps.txt").read_text().splitlines():
        if line.startswith(" "):
            who, name = line.split(maxsplit=1)
            steps[journey].append(Step(who, name))
        else:
            journey = line
            steps[journey] = []
    return steps


STEPS = read_steps()
KNOWN = {step for steps in STEPS.values() for step in steps}
ADAPTER = re.compile(r"\bapi\.([a-z_.]+)\(")
# Staff compare all payments with the provider's list: nothing comes of it. And no journey here is
# disputed yet.
NO_STEP = {"[GET /v1/payment_intents]", "[GET /v1/disputes]"}
# The mail has left and nobody wrote that down: it leaves once more, as the same message.
SENT = "[update bookings_mail sent_at]"
# One of each kind: money is asked for, seats are sold, tickets are made, money is taken.
TURNS = [
    (Step("web", "[POST /v1/checkout/sessions]"), "after"),
    (Step("web", "bookings.booking_confirmed]"), "before"),
    (Step("relay", "insert kernel_outboxmessage bookings.tickets_issued]"), "after"),
    (Step("worker", "[POST /v1/payment_intents/…/capture]"), "after"),
]


def is_turn(step: Step, moment: str) -> bool:
    return any(
        (step.who, moment) == (turn.who, when) and step.name.endswith(turn.name)
        for turn, when in TURNS
    )


@pytest.fixture(scope="module")
def staff(django_db_setup, django_db_blocker, provider_process, tmp_path_factory):
    var = tmp_path_factory.mktemp("staff")
    with (
        django_db_blocker.unblock(),
        box_office.running(var, provider_process) as office,
        at_work.working(office) as staff,
    ):
        yield staff


@pytest.fixture
def story(staff, provider, event, seats):
    staff.office.forget_claims()
    staff.office.forget_mails()
    fan = Buyer(staff.office.url, event)
    yield Story(staff, provider, event, seats[:2], fan)
    fan.close()


def test_every_call_that_the_adapter_can_make_is_a_step():
    calls = {as_asked(name) for name in ADAPTER.findall(Path(stripe.__file__).read_text())}

    assert calls - NO_STEP == {step.name for step in KNOWN if "/v1/" in step.name}


def as_asked(name: str) -> str:
    """`checkout.sessions.expire` as a wire hears it."""
    *parts, verb = name.split(".")
    path = "/".join(["/v1", *parts])
    match verb:
        case "create":
            return f"[POST {path}]"
        case "list":
            return f"[GET {path}]"
        case "retrieve":
            return f"[GET {path}/…]"
    return f"[POST {path}/…/{verb}]"


def assert_came_to_its_end(journey: Journey, story: Story) -> None:
    booking = Booking.objects.get()
    assert (booking.state, booking.lapse_reason) == (journey.end, journey.reason)
    assert_everything_agrees([booking], story.provider, story.staff.office.mails())


@pytest.mark.parametrize(
    "journey",
    [
        pytest.param(
            journey,
            id=journey.name,
            marks=[] if journey.travel is pays_and_returns else pytest.mark.long,
        )
        for journey in JOURNEYS
    ],
)
def test_these_are_all_the_steps(story, journey, capsys):
    story.staff.listen()

    journey.travel(story)
    story.staff.finish()

    heard = story.staff.heard()
    with capsys.disabled():
        print("", journey.name, *heard, sep="\n    ")
    assert [step for step in heard if step not in KNOWN] == []
    assert [step for step in STEPS[journey.name] if step not in heard] == []
    assert_came_to_its_end(journey, story)
    assert sent_twice(story.staff.office.mails()) == []


@pytest.mark.parametrize(
    ("journey", "step", "moment"),
    [
        pytest.param(
            journey,
            step,
            moment,
            id=f"{journey.name}, {moment} {step}",
            marks=[] if is_turn(step, moment) else pytest.mark.long,
        )
        for journey in JOURNEYS
        for step in STEPS[journey.name]
        for moment in ("before", "after")
    ],
)
def test_nothing_is_doubled_and_nothing_lost(story, journey, step, moment):
    death = story.staff.kill_at(step, moment)

    journey.travel(story)
    story.staff.finish()
    assert death.has_happened()
    story.staff.finish()

    assert_came_to_its_end(journey, story)
    is_sent_again = (step.name, moment) == (SENT, "before")
    assert len(sent_twice(story.staff.office.mails())) == is_sent_again


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", [s for s in STEPS[pays_and_returns.__name__] if s.who == "web"])
def test_a_fan_who_never_comes_again_loses_nothing_either(story, step, moment):
    story.fan.comes_again = False
    death = story.staff.kill_at(step, moment)

    with pytest.raises(requests.ConnectionError):
        pays_and_returns(story)
    assert death.has_happened()
    story.let_the_lease_end()
    story.staff.finish()

    assert_everything_agrees(Booking.objects.all(), story.provider, story.staff.office.mails())
