from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from events import codes
from events.errors import CodeRefused, NotAPresale, UnfitCode
from events.models import AccessCode, OnSale, OnSaleKind
from events.services import access
from tests.factories import draft_event

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def event():
    return draft_event()


@pytest.fixture
def presale(event):
    return OnSale.objects.create(
        event=event,
        kind=OnSaleKind.PRESALE,
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=1),
    )


def recognised(event, code, at=NOW):
    return access.recognise(event_id=event.pk, code=code, at=at)


def test_made_codes_open_the_presale_and_are_kept_nowhere(event, presale):
    made = access.make(on_sale_id=presale.pk, number=3, label="letter", max_holds=1)

    rows = {row.pk: row for row in AccessCode.objects.all()}
    assert {recognised(event, code) for code in made} == set(rows)
    kept = " ".join(str(value) for row in rows.values() for value in vars(row).values())
    assert not any(code in kept or codes.normalized(code) in kept for code in made)


def test_a_chosen_word_opens_the_presale_however_it_is_typed(event, presale):
    access.add(on_sale_id=presale.pk, code="Comet Hour")

    assert recognised(event, "COMET-hour ") == AccessCode.objects.get().pk


@pytest.mark.parametrize("word", ["", "- - -", "comet", "c o m e t"])
def test_a_short_word_is_no_code(presale, word):
    with pytest.raises(UnfitCode):
        access.add(on_sale_id=presale.pk, code=word)

    assert not AccessCode.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_word_that_is_there_already_is_refused(presale):
    access.add(on_sale_id=presale.pk, code="Comet Hour")

    with pytest.raises(UnfitCode):
        access.add(on_sale_id=presale.pk, code="comet-hour")


def test_the_public_sale_has_no_codes(event):
    public = OnSale.objects.get(event=event)

    with pytest.raises(NotAPresale):
        access.make(on_sale_id=public.pk, number=1)


def test_a_code_opens_its_own_event_and_only_while_its_presale_runs(event, presale):
    [code] = access.make(on_sale_id=presale.pk, number=1)

    for wrong in [
        (draft_event(), code, NOW),
        (event, f"{code}2", NOW),
        (event, "", NOW),
        (event, code, presale.opens_at - timedelta(microseconds=1)),
        (event, code, presale.closes_at),
    ]:
        with pytest.raises(CodeRefused):
            recognised(*wrong)


def test_the_command_prints_codes_that_work(event, presale):
    out = StringIO()

    call_command("access_codes", event.slug, "--make", "5", "--max-holds", "2", stdout=out)

    printed = out.getvalue().split()
    assert len({recognised(event, code) for code in printed}) == 5
    assert {row.max_holds for row in AccessCode.objects.all()} == {2}


def test_the_command_asks_which_presale_is_meant(event, presale):
    with pytest.raises(CommandError, match="no such presale"):
        call_command("access_codes", draft_event().slug, "--make", "1")

    OnSale.objects.create(
        event=event, kind=OnSaleKind.PRESALE, opens_at=NOW, closes_at=NOW + timedelta(days=2)
    )
    with pytest.raises(CommandError, match=f"--on-sale {presale.pk}"):
        call_command("access_codes", event.slug, "--make", "1")
