import psycopg
import pytest
import redis

from ticketing.embedded import runtime, services


@pytest.fixture
def own_var(tmp_path, monkeypatch):
    """A `var/` of the test's own, and no service given from outside."""
    monkeypatch.setattr(runtime, "VAR", tmp_path)
    for name in services.GIVEN:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_second_start_finds_the_data_of_the_first(own_var):
    with (
        services.running("demo", keep=True) as found,
        psycopg.connect(found["DATABASE_URL"]) as connection,
    ):
        connection.execute("CREATE TABLE kept AS SELECT 1 AS answer")
        with redis.Redis.from_url(found["VALKEY_URL"].replace("valkey", "redis", 1)) as valkey:
            valkey.set("kept", "yes")

    with (
        services.running("demo", keep=True) as found,
        psycopg.connect(found["DATABASE_URL"]) as connection,
    ):
        assert connection.execute("SELECT answer FROM kept").fetchone() == (1,)
        with redis.Redis.from_url(found["VALKEY_URL"].replace("valkey", "redis", 1)) as valkey:
            assert valkey.get("kept") == b"yes"
