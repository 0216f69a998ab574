"""Tokens, scopes and throttles at the door."""

import logging
from datetime import timedelta
from ipaddress import IPv4Address
from random import getrandbits

import pytest
import redis
from django.utils import timezone

from tests.api.asking import problem
from ticketing.accounts.models import PartnerToken, Scope
from ticketing.kernel import attempts

pytestmark = pytest.mark.django_db
EVENTS = "/api/v1/events/"


@pytest.mark.parametrize(
    "said", ["", "Bearer", "Bearer ", "Bearer tkt_no", "Basic dGt0Xzpub3RoaW5n", "tkt_" + "x" * 43]
)
def test_what_is_no_token_is_refused_even_where_none_is_needed(client, said):
    response = client.get(EVENTS, headers={"authorization": said})

    assert problem(response) == "unauthenticated"
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("end", ["revoked_at", "expires_at"])
def test_a_token_that_has_ended_is_refused(blue, end):
    assert blue.get(EVENTS).status_code == 200
    now = timezone.now()
    PartnerToken.objects.update(created_at=now - timedelta(days=2), **{end: now})

    assert problem(blue.get(EVENTS)) == "unauthenticated"


def test_a_token_without_the_scope_is_refused_and_told_which(caller):
    response = caller(scopes=[Scope.HOLDS_WRITE]).get(EVENTS)

    assert problem(response) == "forbidden"
    assert response.json()["scope"] == "events:read"
    assert caller(scopes=[Scope.HOLDS_WRITE]).head(EVENTS).status_code == 403


def test_a_token_is_throttled_and_told_when_to_come_again(caller):
    client = caller(per_minute=2)
    assert [client.get(EVENTS).status_code for _ in range(2)] == [200, 200]

    response = client.get(EVENTS)

    assert problem(response) == "throttled"
    assert 1 <= int(response["Retry-After"]) == response.json()["retry_after"] <= 60


def test_one_tokens_requests_are_not_anothers(caller):
    busy, idle = caller(per_minute=1), caller(per_minute=1)
    busy.get(EVENTS)

    assert busy.get(EVENTS).status_code == 429
    assert idle.get(EVENTS).status_code == 200


def test_without_a_token_a_network_is_throttled(client, settings):
    settings.API_OPEN_PER_MINUTE = 1
    settings.PROXY_COUNT = 1
    # Counts outlive a test, so each run comes from elsewhere.
    here, there = ({"x-forwarded-for": str(IPv4Address(getrandbits(32)))} for _ in range(2))

    assert client.get(EVENTS, headers=here).status_code == 200
    assert problem(client.get(EVENTS, headers=here)) == "throttled"
    assert client.get(EVENTS, headers=there).status_code == 200


def test_a_store_that_is_away_stops_no_sale(caller, monkeypatch):
    away = redis.Redis(port=1, socket_connect_timeout=1)
    monkeypatch.setattr(attempts, "valkey", lambda: away)
    client = caller(per_minute=1)

    assert [client.get(EVENTS).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize("fails", [False, True])
def test_a_token_is_in_no_log_also_where_the_api_fails(blue, caplog, monkeypatch, fails):
    if fails:
        monkeypatch.setattr("events.selectors.upcoming", lambda **_: 1 / 0)
    blue.raise_request_exception = False
    caplog.set_level(logging.DEBUG)

    response = blue.get(EVENTS)
    blue.get("/api/v1/nothing/")

    assert response.status_code == (500 if fails else 200)
    assert "nothing" in caplog.text
    assert blue.token not in caplog.text
