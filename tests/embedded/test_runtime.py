import os

import pytest

from ticketing.embedded import runtime


def test_commands_find_the_services_for_as_long_as_somebody_runs_them(own_var):
    lock = runtime.claim("demo", patience=0)
    runtime.publish("demo", {"DATABASE_URL": "postgres://here"})

    assert runtime.environment("demo") == {"DATABASE_URL": "postgres://here"}

    os.close(lock)
    assert runtime.environment("demo") == {}


def test_only_its_user_may_read_where_the_services_are(own_var):
    (own_var / "run").mkdir()
    runtime.publish("demo", {"DATABASE_URL": "postgres://user:secret@here"})

    assert (own_var / "run" / "demo.json").stat().st_mode & 0o777 == 0o600


def test_who_comes_second_is_told_where_the_first_one_serves(own_var):
    lock = runtime.claim("demo", patience=0)
    runtime.publish("demo", {"BASE_URL": "http://127.0.0.1:8000"})

    with pytest.raises(runtime.Running) as refusal:
        runtime.claim("demo", patience=60)

    assert refusal.value.environment == {"BASE_URL": "http://127.0.0.1:8000"}
    os.close(lock)


def test_a_crash_leaves_no_address_behind(own_var):
    os.close(runtime.claim("demo", patience=0))
    runtime.publish("demo", {"BASE_URL": "http://127.0.0.1:8000"})

    os.close(runtime.claim("demo", patience=0))

    assert not (own_var / "run" / "demo.json").exists()
