import pytest
from django.db import transaction

from tests.constraints.breaking import broken_by, copy
from ticketing.accounts.models import User
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
