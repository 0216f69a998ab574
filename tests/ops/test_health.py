import pytest
import redis

from ticketing.kernel import loadboard


def test_a_live_process_asks_nobody_else(client):
    assert client.get("/livez").status_code == 200


@pytest.mark.django_db
def test_a_process_is_ready_when_database_and_valkey_answer(client):
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"database": "ok", "valkey": "ok"}


@pytest.mark.django_db
def test_without_valkey_a_process_is_not_ready(client, monkeypatch):
    nowhere = redis.Redis.from_url("redis://127.0.0.1:1")
    monkeypatch.setattr(loadboard, "valkey", lambda: nowhere)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json() == {"database": "ok", "valkey": "no answer"}
