"""Whatever goes wrong, the API says it as problem details."""

import re
from pathlib import Path

import pytest
from django.db import InternalError, OperationalError
from psycopg.errors import IdleInTransactionSessionTimeout

from tests.api.asking import problem
from ticketing.kernel import problems

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["", "events", "nothing/", "events/no-such/", "events/%00/", "é"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_where_nothing_is(client, path, method):
    response = getattr(client, method)(f"/api/v1/{path}")

    assert response.status_code in {404, 405}
    assert problem(response) in {"not-found", "method-not-allowed"}


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options", "trace"])
def test_what_cannot_be_done_here(client, method):
    response = getattr(client, method)("/api/v1/events/")

    assert problem(response) == "method-not-allowed"
    assert "GET" in response["Allow"]


def test_only_json_is_spoken(client):
    response = client.get("/api/v1/events/", headers={"accept": "text/html"})

    assert problem(response) == "not-acceptable"


def test_a_fault_of_ours_is_said_and_logged_and_told_to_whoever_listens(
    client, caplog, monkeypatch
):
    monkeypatch.setattr("events.selectors.upcoming", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        client.get("/api/v1/events/")

    client.raise_request_exception = False
    response = client.get("/api/v1/events/")

    assert problem(response) == "internal"
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivision" not in response.content.decode()


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OperationalError("canceling statement due to lock timeout"), None),
        (InternalError("terminating connection"), IdleInTransactionSessionTimeout()),
    ],
)
def test_who_cannot_be_served_in_time_is_told_when_to_come_again(client, monkeypatch, error, cause):
    def wait_in_vain(**_):
        raise error from cause

    monkeypatch.setattr("events.selectors.upcoming", wait_in_vain)

    response = client.get("/api/v1/events/")

    assert problem(response) == "busy"
    assert response["Retry-After"] == "3"


def test_every_kind_is_in_the_handbook_with_its_status():
    from ticketing import api  # noqa: F401

    handbook = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    told = dict(re.findall(r"^\| `([a-z-]+)` \| (\d{3}) \|", handbook, re.MULTILINE))

    assert told == {name: str(kind.status) for name, kind in problems.KINDS.items()}
