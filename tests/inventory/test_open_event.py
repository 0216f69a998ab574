from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.factories import draft_event

pytestmark = pytest.mark.django_db


def run(slug):
    out = StringIO()
    call_command("open_event", slug, stdout=out)
    return out.getvalue()


def test_an_event_is_opened_by_its_slug_and_only_once():
    event = draft_event(rows=2, seats_per_row=5)

    assert f"“{event.slug}” is open, with 10 seats and 0 pools." in run(event.slug)
    assert "was open already, with 10 seats and 0 pools; nothing changed" in run(event.slug)


def test_what_stands_against_it_is_listed():
    event = draft_event(rows=0)

    with pytest.raises(CommandError) as refusal:
        run(event.slug)

    assert "cannot be opened yet:\n  - It has no price zone" in str(refusal.value)


def test_an_event_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="There is no event “nothing”"):
        run("nothing")
