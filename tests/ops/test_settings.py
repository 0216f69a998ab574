import os
import subprocess
import sys

import pytest

from ticketing.embedded.runtime import ROOT

PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "ticketing.settings.production",
    "SECRET_KEY": "a-secret-of-fifty-characters-that-is-only-for-testing",
    "ALLOWED_HOSTS": "example.org",
    "DATABASE_URL": "postgres://localhost/nowhere",
    "VALKEY_URL": "valkey://localhost:1/0",
    "STRIPE_SECRET_KEY": "sk_live_0",
    "STRIPE_WEBHOOK_SECRET": "whsec_0",
}


def check(environment):
    """Run `manage.py check` with nothing else in the environment."""
    return subprocess.run(
        [sys.executable, ROOT / "manage.py", "check", "--deploy"],
        env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_starts_with_what_it_needs():
    answer = check(PRODUCTION)

    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("name", sorted(PRODUCTION.keys() - {"DJANGO_SETTINGS_MODULE"}))
def test_production_does_not_start_without(name):
    answer = check({key: value for key, value in PRODUCTION.items() if key != name})

    assert answer.returncode == 1
    assert f"Set the {name} environment variable" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_the_process_itself_is_asked_without_tls_how_it_is_and_nothing_else(tmp_path):
    ask = (
        "import django; django.setup(); from django.test import Client;"
        "print(*(Client().get(path, headers={'host': 'example.org'}).status_code"
        " for path in ('/livez', '/metrics', '/')))"
    )

    answer = subprocess.run(
        [sys.executable, "-c", ask],
        env={"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path)} | PRODUCTION,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert answer.stdout.split() == ["200", "200", "301"]


def test_production_is_not_ready_with_an_empty_webhook_secret():
    answer = check(PRODUCTION | {"STRIPE_WEBHOOK_SECRET": ""})

    assert answer.returncode == 1
    assert "STRIPE_WEBHOOK_SECRET is not set" in answer.stderr


@pytest.mark.parametrize("kind", ["sk_live_0", "rk_live_0"])
def test_a_live_key_does_not_go_to_a_local_provider(kind):
    answer = check(
        PRODUCTION | {"STRIPE_SECRET_KEY": kind, "STRIPE_API_BASE": "http://127.0.0.1:9"}
    )

    assert answer.returncode == 1
    assert "A live key may not be sent to a local payment provider" in answer.stderr
