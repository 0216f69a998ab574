import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.factories import UserFactory
from ticketing.accounts import partners
from ticketing.accounts.models import Partner, PartnerToken, Scope

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def made(partner="Blue Tickets", **wishes):
    wished = {
        "scopes": [Scope.HOLDS_WRITE],
        "requests_per_minute": 10,
        "at": NOW,
        "lifetime": timedelta(days=1),
    } | wishes
    return partners.make(partner=partner, **wished)


def run(*arguments):
    out = StringIO()
    call_command("partner_token", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_token_is_recognised_and_kept_nowhere():
    number, token = made()

    caller = partners.recognise(token, at=NOW)

    assert (caller.token_id, caller.scopes) == (number, {"holds:write"})
    kept = [str(value) for row in PartnerToken.objects.all() for value in vars(row).values()]
    assert not any(token in value or token[4:] in value for value in kept)


@pytest.mark.parametrize("wrong", ["", "tkt_", "tkt_" + "a" * 43, "tkt_" + "é" * 43, "x" * 10_000])
def test_what_is_no_token_is_nobodys(wrong):
    made()

    assert partners.recognise(wrong, at=NOW) is None


def test_what_does_not_look_like_a_token_costs_no_query(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert partners.recognise("Bearer nonsense", at=NOW) is None


def test_a_token_ends_at_its_time_or_when_it_is_revoked():
    number, token = made()

    assert partners.recognise(token, at=NOW + timedelta(days=1)) is None
    assert partners.revoke(token_ids=[number], at=NOW) == 1
    assert partners.revoke(token_ids=[number], at=NOW) == 0
    assert partners.recognise(token, at=NOW) is None


def test_a_new_token_of_a_partner_is_the_same_partner_s():
    old, new = (partners.recognise(made(name)[1], at=NOW) for name in ("Blue", "BLUE"))

    assert old.owner == new.owner
    assert Partner.objects.count() == 1


def test_the_last_use_is_written_seldom():
    _, token = made()
    partners.recognise(token, at=NOW)

    with CaptureQueriesContext(connection) as soon:
        partners.recognise(token, at=NOW + timedelta(minutes=1))
    partners.recognise(token, at=NOW + timedelta(hours=1))

    assert len(soon) == 1
    assert PartnerToken.objects.get().last_used_at == NOW + timedelta(hours=1)


def test_the_command_prints_a_token_that_works_and_only_this_once():
    token = run("create", "Blue Tickets", "--scope", "events:read", "--per-minute", "5").strip()

    caller = partners.recognise(token, at=timezone.now())
    assert (caller.scopes, caller.requests_per_minute) == ({"events:read"}, 5)
    shown = run("list")
    assert "Blue Tickets  events:read  5 a minute" in shown
    assert token not in shown


def test_without_a_scope_a_token_may_do_everything():
    token = run("create", "Blue Tickets").strip()

    assert partners.recognise(token, at=timezone.now()).scopes == set(Scope.values)


def test_the_command_revokes_by_number():
    token = run("create", "Blue Tickets").strip()
    number = re.match(r"\d+", run("list")).group()

    run("revoke", number)

    assert partners.recognise(token, at=timezone.now()) is None
    assert "revoked" in run("list")


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", " "),
        ("create", "x" * 101),
        ("create", "Blue", "--days", "0"),
        ("create", "Blue", "--per-minute", "0"),
        ("create", "Blue", "--scope", "everything"),
        ("revoke", "0"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(arguments):
    with pytest.raises(CommandError):
        run(*arguments)

    assert not PartnerToken.objects.exists()


def test_staff_revoke_a_token_in_the_admin(client):
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    number, token = made()

    page = client.post(
        reverse("admin:accounts_partnertoken_changelist"),
        {"action": "revoke", "_selected_action": [number]},
        follow=True,
    )

    assert "1 token is revoked" in page.content.decode()
    assert partners.recognise(token, at=NOW) is None
