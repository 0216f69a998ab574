"""A partner's program at work, over HTTP, with a token from the command."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from inventory.models import Hold, HoldState
from tests import factories
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def event(office):
    event = factories.opened_event(pool_capacity=10)
    office.start("web")
    return event


@pytest.fixture
def token(office, event):
    return office.manage("partner_token", "create", "Blue Tickets").strip()


def test_a_partner_finds_holds_changes_and_lets_go(office, event, token):
    program = requests.Session()
    program.headers["Authorization"] = f"Bearer {token}"
    here = f"{office.url}/api/v1/events/{event.slug}"
    seats = program.get(f"{here}/sections/stalls/seats/").json()["seats"]
    wish = {"seats": [{"id": seat["id"]} for seat in seats[:2]], "customer": "c-1"}

    def hold(_number):
        return program.post(f"{here}/holds/", json=wish, headers={"Idempotency-Key": "0b8f6d1e"})

    with ThreadPoolExecutor(8) as hands:
        answers = list(hands.map(hold, range(8)))
    address = office.url + answers[0].headers["Location"]
    [pool] = program.get(f"{here}/availability/").json()["pools"]
    more = {"seats": wish["seats"][:1], "pools": [{"id": pool["id"], "places": 3}]}
    changed = program.put(address, json=more)
    extended = program.post(f"{address}extend/")
    gone = [program.delete(address).status_code for _ in range(2)]

    assert {(answer.status_code, answer.headers["Location"]) for answer in answers} == {
        (201, answers[0].headers["Location"])
    }
    assert [line["places"] for line in changed.json()["lines"]] == [1, 3]
    assert extended.status_code == 200
    assert gone == [204, 204]
    assert Hold.objects.get().state == HoldState.RELEASED
    assert list(audit.run()) == []
    assert token not in (office.var / "web.log").read_text()


def test_a_body_that_is_too_large_or_has_no_length_holds_nothing(office, event, token):
    address = f"{office.url}/api/v1/events/{event.slug}/holds/"
    headers = {
        "Authorization": f"Bearer {token}",
        "Idempotency-Key": "k",
        "Content-Type": "application/json",
    }
    large = b'{"customer": "' + b"x" * 5_000_000 + b'"}'

    parts = (large[at : at + 9999] for at in range(0, len(large), 9999))

    whole = requests.post(address, large, headers=headers, timeout=30)
    in_parts = requests.post(address, parts, headers=headers, timeout=30)

    assert whole.status_code == 413
    assert whole.json()["type"] == "/problems/too-large"
    assert in_parts.json()["type"] == "/problems/bad-wish"
    assert requests.get(f"{office.url}/livez", timeout=30).ok
    assert not Hold.objects.exists()
