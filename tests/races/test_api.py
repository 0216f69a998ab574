"""One wish of a partner, sent by many hands at once."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Hold
from inventory.services.access import PER_BROWSER
from tests import factories
from tests.api.asking import ask
from tests.races.rivals import race
from ticketing.accounts import partners
from ticketing.accounts.models import Scope

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token(transactional_db):
    _, token = partners.make(
        partner="Blue Tickets",
        scopes=list(Scope),
        requests_per_minute=1_000_000,
        at=timezone.now(),
        lifetime=timedelta(days=1),
    )
    return token


@pytest.fixture
def event(transactional_db):
    return factories.opened_event()


def sent(token, event, seats, keys, **more):
    headers = {"authorization": f"Bearer {token}"}
    hands = [partial(ask, Client(headers=headers), event, seats, key=k, **more) for k in keys]
    outcomes = race(hands)
    assert [outcome.refusal for outcome in outcomes] == [None] * len(keys)
    return [outcome.value for outcome in outcomes]


def test_one_key_sent_twenty_times_at_once_is_one_hold(token, event, seats):
    answers = sent(token, event, seats[:2], ["key"] * 20)

    assert [answer.status_code for answer in answers] == [201] * 20
    assert len({answer["Location"] for answer in answers}) == 1
    assert Hold.objects.count() == 1


def test_with_keys_of_their_own_all_but_one_are_refused(token, event, seats):
    """The control: it is the key, and not luck, that makes them one."""
    answers = sent(token, event, seats[:2], [f"key {n}".replace(" ", "-") for n in range(20)])

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 19
    assert Hold.objects.count() == 1


def test_the_one_use_of_a_code_is_not_refused_to_the_wish_that_has_it(token, event, seats):
    code = factories.presale_code(event, max_holds=1)

    answers = sent(token, event, seats[:2], ["key"] * (PER_BROWSER - 1), access_code=code)

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer["Location"] for answer in answers}) == 1
    assert Hold.objects.get().access_code_id
