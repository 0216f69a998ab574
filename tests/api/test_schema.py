"""The OpenAPI document is true: what it says is asked, and the answers are what it says."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import schemathesis
from django.core import signals
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation

from events.models import Event, Fare
from inventory.models import AdmissionPool, EventSeat
from tests import factories
from tests.api.asking import ask
from ticketing.api import schema as document
from ticketing.wsgi import application

pytestmark = pytest.mark.django_db
HOLDS = 12


# A wish may fit the schema and name places that are not there, or guess too many codes.
CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": ["2xx", "404", "409", "422", "429"]}
        }
    }
)


def loaded(said):
    loaded = schemathesis.openapi.from_dict(said, config=CONFIG)
    loaded.app = application
    return loaded


schema = loaded(document())


def examples(number):
    """So many, on a database that each example leaves changed."""
    return settings(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))


@dataclass
class World:
    """An event on sale and holds of a partner: what the generated requests are about."""

    token: str
    event: Event
    seats: list[int]
    pool: int
    fares: list[int]
    holds: list[str]
    number: int = 0
    seen: set[int] = field(default_factory=set)

    def ask(self, case):
        """Send a generated request, about something real where it is a valid one."""
        self.number += 1
        if _is_valid(case, ParameterLocation.PATH):
            real = {
                "slug": self.event.slug,
                "section_slug": "stalls",
                "reference": self.holds[self.number % HOLDS],
            }
            case.path_parameters = {name: real[name] for name in case.path_parameters or {}}
        if _is_valid(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            case.body = self._real(case.body)
        headers = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "identity"}
        response = case.call(headers=headers)
        self.seen.add(response.status_code)
        case.validate_response(response, headers=headers)

    def _real(self, body):
        """The same wish for places that there are; every other one so that it can be granted."""
        body = copy.deepcopy(body)
        if self.number % 2:
            body.pop("access_code", None)
            self._make_modest(body)
        for position, seat in enumerate(body.get("seats", [])):
            seat["id"] = self.seats[(int(seat["id"]) + position) % len(self.seats)]
        for pool in body.get("pools", []):
            pool["id"] = self.pool
        for places in [*body.get("seats", []), *body.get("pools", [])]:
            if "fare" in places:
                places["fare"] = self.fares[int(places["fare"]) % len(self.fares)]
        return body

    def _make_modest(self, body):
        """One or two places, and of a customer of his own where it is a new wish."""
        body["seats"] = body.get("seats", [])[:1] or [{"id": self.number}]
        body["pools"] = body.get("pools", [])[:1]
        for pool in body["pools"]:
            pool["places"] = 1
        if "customer" in body:
            body["customer"] = f"customer-of-{self.number}"


def _is_valid(case, location):
    said = case.meta.components.get(location)
    return said is None or said.mode.is_positive


@pytest.fixture
def world(blue) -> Iterator[World]:
    event = factories.opened_event(rows=10, seats_per_row=30, pool_capacity=1000)
    seats = list(EventSeat.objects.filter(event=event).values_list("pk", flat=True))
    held = [
        ask(blue, event, [seats[n]], key=str(n), customer=f"customer-{n}") for n in range(HOLDS)
    ]
    # As Django's own test client: the end of a request is not the end of the test's connection.
    for signal in (signals.request_started, signals.request_finished):
        signal.disconnect(close_old_connections)
    yield World(
        token=blue.token,
        event=event,
        seats=seats,
        pool=AdmissionPool.objects.get(event=event).pk,
        fares=list(Fare.objects.filter(event=event).values_list("pk", flat=True)),
        holds=[answer.json()["reference"] for answer in held],
    )
    for signal in (signals.request_started, signals.request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def asked(world):
    """The same, and insist at the end that something was granted, not only refused."""
    yield world
    assert {200, 201, 204} & world.seen, world.seen


def test_it_is_valid_openapi_and_names_every_door():
    schema.validate()
    said = {
        operation["operationId"]
        for path in document()["paths"].values()
        for operation in path.values()
    }
    assert said == {
        "list_events",
        "read_event",
        "read_availability",
        "list_seats",
        "create_hold",
        "read_hold",
        "change_hold",
        "release_hold",
        "extend_hold",
    }


@schema.parametrize()
@examples(12)
def test_it_is_true(case, asked):
    asked.ask(case)


@pytest.mark.long
@schema.parametrize()
@examples(400)
def test_it_is_true_at_length(case, asked):
    asked.ask(case)


def money_is_text(said):
    said["components"]["schemas"]["MoneyShape"]["properties"]["minor"] = {"type": "string"}


def a_hold_is_answered_200(said):
    answers = said["paths"]["/api/v1/events/{slug}/holds/"]["post"]["responses"]
    answers["200"] = answers.pop("201")


def nothing_is_ever_taken(said):
    answers = said["paths"]["/api/v1/events/{slug}/holds/"]["post"]["responses"]
    del answers["409"], answers["422"]


def a_hold_has_an_owner(said):
    shape = said["components"]["schemas"]["HoldShape"]
    shape["properties"]["owner"] = {"type": "string"}
    shape["required"].append("owner")


def why_not_is_a_number(said):
    shape = said["components"]["schemas"]["HoldProblemShape"]
    shape["properties"]["detail"] = {"type": "integer"}


def any_number_of_places_will_do(said):
    places = said["components"]["schemas"]["PoolWishShape"]["properties"]["places"]
    del places["minimum"], places["maximum"]


@pytest.mark.parametrize(
    "lie",
    [
        money_is_text,
        a_hold_is_answered_200,
        nothing_is_ever_taken,
        a_hold_has_an_owner,
        why_not_is_a_number,
        any_number_of_places_will_do,
    ],
    ids=lambda lie: lie.__name__,
)
def test_a_lie_is_found(lie, world):
    """The control: the same questions about a document that is not true."""
    said = copy.deepcopy(document())
    lie(said)
    operation = loaded(said)["/api/v1/events/{slug}/holds/"]["POST"]

    @settings(examples(60), derandomize=True, database=None)
    @given(case=operation.as_strategy())
    def is_true(case):
        world.ask(case)

    with pytest.raises(FailureGroup):
        is_true()
