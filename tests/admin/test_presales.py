"""Organizers make the codes of their presales, and see how they are used."""

import pytest
from django.urls import reverse

from events import codes, uses
from events.models import AccessCode, OnSale, OnSaleKind
from tests.factories import opened_event, presale_code
from tests.reading import said

pytestmark = pytest.mark.django_db


@pytest.fixture
def presale(event):
    presale_code(event)
    AccessCode.objects.all().delete()
    return OnSale.objects.get(event=event, kind=OnSaleKind.PRESALE)


def page_of(sale):
    return reverse("admin:events_onsale_codes", args=[sale.pk])


def test_new_codes_are_shown_once(desk, presale):
    form = {"number": "3", "label": "letter 3", "max_holds": "1", "show": "1"}

    page = desk.post(page_of(presale), form)

    shown = page.context["made"]
    assert all(code in said(page) for code in shown)
    assert {codes.digest(code) for code in shown} == set(
        AccessCode.objects.values_list("digest", flat=True)
    )
    assert "no-store" in page["Cache-Control"]
    assert not any(code in said(desk.get(page_of(presale))) for code in shown)


def test_new_codes_can_be_downloaded(desk, presale):
    page = desk.post(page_of(presale), {"number": "2", "max_holds": "1", "download": "1"})

    assert page["Content-Type"].startswith("text/csv")
    rows = page.content.decode().split()
    assert rows[0] == "code"
    assert (
        AccessCode.objects.filter(digest__in=[codes.digest(row) for row in rows[1:]]).count() == 2
    )


def test_a_word_can_be_chosen_once(desk, presale):
    form = {"code": "Comet Hour", "max_places": "2", "word": "1"}

    desk.post(page_of(presale), form)

    assert AccessCode.objects.get().max_places == 2
    assert "code of this presale already" in said(
        desk.post(page_of(presale), {"code": "x", "word": "1"})
    )


@pytest.mark.parametrize("number", ["0", "-1", "20001", "x", ""])
def test_a_senseless_number_of_codes_makes_none(desk, presale, number):
    assert desk.post(page_of(presale), {"number": number, "show": "1"}).status_code == 200

    assert not AccessCode.objects.exists()


def test_codes_that_were_made_alike_are_counted_together(desk, presale, monkeypatch):
    desk.post(page_of(presale), {"number": "4", "label": "letter", "max_holds": "2", "show": "1"})
    first = AccessCode.objects.earliest("pk")
    monkeypatch.setattr(uses, "_providers", [lambda ids: {first.pk: 2}])

    [batch] = desk.get(page_of(presale)).context["batches"]

    assert (batch.label, batch.codes, batch.used, batch.purchases) == ("letter", 4, 1, 2)


def test_the_events_page_leads_to_the_codes_of_its_presale(desk, event, presale):
    page = desk.get(reverse("admin:events_event_change", args=[event.pk]))

    assert page_of(presale) in page.content.decode()
    assert page_of(OnSale.objects.get(event=event, kind=OnSaleKind.PUBLIC)) not in (
        page.content.decode()
    )


def test_a_code_that_leaked_can_be_taken_back(desk, presale):
    desk.post(page_of(presale), {"code": "Comet Hour", "word": "1"})
    code = AccessCode.objects.get()

    desk.post(reverse("admin:events_accesscode_delete", args=[code.pk]), {"post": "yes"})

    assert not AccessCode.objects.exists()


def test_nobody_makes_codes_for_another_organizer_or_for_the_public(desk, event):
    stranger = opened_event()
    presale_code(stranger)
    theirs = OnSale.objects.get(event=stranger, kind=OnSaleKind.PRESALE)
    public = OnSale.objects.get(event=event)

    for sale in [theirs, public]:
        assert desk.post(page_of(sale), {"number": "1", "show": "1"}).status_code in {302, 404}
    assert AccessCode.objects.count() == 1


def test_who_may_not_add_codes_makes_none(client, staff, presale):
    client.force_login(staff)

    assert client.post(page_of(presale), {"number": "1", "show": "1"}).status_code == 403
    assert not AccessCode.objects.exists()
