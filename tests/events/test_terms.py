"""Who may buy when: the public, and those who carry a code of a presale."""

from datetime import timedelta

import pytest
from django.utils import timezone

from events import terms
from events.models import AccessCode, Event, OnSale, OnSaleKind
from tests.factories import draft_event, opened_event, presale_code

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
NOW = timezone.now()


@pytest.fixture
def code(event):
    presale_code(event, max_holds=2, max_places=3)
    return AccessCode.objects.get()


def test_in_a_presale_only_a_code_opens_the_sale(event, code):
    assert not terms.of(event.pk).is_open(NOW)
    assert terms.of(event.pk).needs_code(NOW)

    carried = terms.of(event.pk, access=code.pk)

    assert carried.is_open(NOW)
    assert not carried.needs_code(NOW)
    assert carried == terms.of_slug(event.slug, access=code.pk)


def test_a_code_brings_its_limits(event, code):
    [carried] = [terms.of(event.pk, access=code.pk).access_at(NOW)]

    assert (carried.code_id, carried.max_holds, carried.max_places) == (code.pk, 2, 3)


def test_a_code_counts_only_while_its_window_is_open_and_the_public_one_is_not(event, code):
    carried = terms.of(event.pk, access=code.pk)
    opens, closes = code.on_sale.opens_at, code.on_sale.closes_at
    public = carried.windows[0][0]

    assert carried.access_at(opens - timedelta(microseconds=1)) is None
    assert carried.access_at(opens) is not None
    assert carried.access_at(public) is None
    assert carried.is_open(public)
    assert not carried.needs_code(public)
    OnSale.objects.filter(event=event, kind=OnSaleKind.PUBLIC).update(opens_at=closes + HOUR)
    later = terms.of(event.pk, access=code.pk)
    assert not later.is_open(closes)
    assert not later.needs_code(closes)


def test_a_code_of_an_earlier_presale_does_not_open_a_later_one(event, code):
    early = OnSale.objects.create(
        event=event, kind=OnSaleKind.PRESALE, opens_at=NOW - 9 * HOUR, closes_at=NOW - 5 * HOUR
    )
    AccessCode.objects.update(on_sale=early)

    carried = terms.of(event.pk, access=code.pk)

    assert not carried.is_open(NOW)
    assert carried.needs_code(NOW)


def test_a_code_of_another_event_or_none_that_exists_is_no_code(event, code):
    stranger = opened_event()
    presale_code(stranger)

    assert terms.of(stranger.pk, access=code.pk).access is None
    assert terms.of(event.pk, access=code.pk + 1000).access is None


def test_a_code_opens_no_sale_that_is_paused(event, code):
    Event.objects.filter(pk=event.pk).update(is_paused=True)

    carried = terms.of(event.pk, access=code.pk)

    assert not carried.is_open(NOW)
    assert not carried.needs_code(NOW)


def test_the_terms_are_one_question(event, code, django_assert_num_queries):
    with django_assert_num_queries(1):
        terms.of(event.pk, access=code.pk)


def test_an_event_that_is_not_there_has_no_terms():
    with pytest.raises(terms.NoSuchEvent):
        terms.of_slug("nothing")
    assert terms.of(draft_event().pk).presales == ()
