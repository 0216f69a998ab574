from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from tests.constraints.breaking import broken_by, copy
from ticketing.accounts.models import Partner, PartnerToken, User
from ticketing.kernel import outbox
from ticketing.kernel.models import Delivery, OutboxMessage

pytestmark = pytest.mark.django_db


@pytest.fixture
def fact():
    with transaction.atomic():
        outbox.publish(topic="tests.fact_told", key="1", payload={})
    return OutboxMessage.objects.get()


def test_kernel_fact_is_told_once(fact):
    assert broken_by(copy("kernel_outboxmessage")) == "kernel_fact_is_told_once"


def test_kernel_fact_is_not_both_done_and_dead(fact):
    sql = "UPDATE kernel_outboxmessage SET done_at = now(), dead_at = now()"
    assert broken_by(sql) == "kernel_fact_is_not_both_done_and_dead"


def test_kernel_handler_is_done_once(fact):
    Delivery.objects.create(message=fact, handler="a handler")

    assert broken_by(copy("kernel_delivery")) == "kernel_handler_is_done_once"


def test_accounts_one_user_per_email():
    User.objects.create_user("fan@example.org")

    sql = copy("accounts_user", email="'FAN@example.org'")
    assert broken_by(sql) == "accounts_one_user_per_email"


def test_accounts_one_partner_per_name():
    Partner.objects.create(name="Blue Tickets")

    sql = copy("accounts_partner", name="'BLUE tickets'")
    assert broken_by(sql) == "accounts_one_partner_per_name"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("accounts_token_scopes_are_known", "scopes = '{holds:write,everything}'"),
        ("accounts_token_scopes_are_known", "scopes = '{}'"),
        ("accounts_token_allows_requests", "requests_per_minute = 0"),
        ("accounts_token_ends_after_it_began", "expires_at = created_at"),
    ],
)
def test_a_token_is_what_it_says(name, change):
    PartnerToken.objects.create(
        partner=Partner.objects.create(name="Blue Tickets"),
        digest="0" * 64,
        scopes=["holds:write"],
        expires_at=timezone.now() + timedelta(days=1),
    )

    assert broken_by(f"UPDATE accounts_partnertoken SET {change}") == name
