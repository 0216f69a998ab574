from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.api.asking import ask
from ticketing.accounts import partners
from ticketing.accounts.models import Scope


class Program(Client):
    """A partner's program."""

    def __init__(self, token: str) -> None:
        super().__init__(headers={"authorization": f"Bearer {token}"})
        self.token = token


@pytest.fixture(autouse=True)
def nothing_remembered():
    """What one test's event had free is no answer about the next one's."""
    cache.clear()


@pytest.fixture
def caller(db):
    """Who calls with a new token: of this partner, with these scopes, so often."""

    def make(partner="Blue Tickets", scopes=tuple(Scope), per_minute=1_000_000):
        _, token = partners.make(
            partner=partner,
            scopes=scopes,
            requests_per_minute=per_minute,
            at=timezone.now(),
            lifetime=timedelta(days=1),
        )
        return Program(token)

    return make


@pytest.fixture
def blue(caller):
    return caller()


@pytest.fixture
def held(blue, event, seats):
    """The address of the partner's hold of two seats."""
    return ask(blue, event, seats[:2])["Location"]
