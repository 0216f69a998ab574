from datetime import timedelta

import pytest
from django.utils import timezone

from bookings import analytics
from events import terms
from events.models import Event
from inventory.models import AdmissionPool, Block, BlockKind, EventSeat
from tests import factories
from tests.inventory.asking import lapse, place

pytestmark = pytest.mark.django_db


def coming(**wishes):
    since = timezone.now() - timedelta(hours=1)
    return analytics.coming(since=since, **({"organizer_ids": None} | wishes))


@pytest.fixture
def event():
    return factories.opened_event(pool_capacity=10)


def test_every_place_is_counted_once_by_what_became_of_it(event):
    sale = terms.of(event.pk)
    pool = AdmissionPool.objects.get(event=event)
    seats = list(EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True))
    place(sale, seats[:2], pools=[(pool.pk, 3)])
    lapse(place(sale, seats[2:4]))
    block = Block.objects.create(event=event, kind=BlockKind.HOUSE, reason="for the band")
    EventSeat.objects.filter(pk=seats[5]).update(state="blocked", block=block)

    [sales] = coming()

    assert (sales.capacity, sales.held, sales.booked, sales.blocked) == (30, 5, 0, 1)
    assert sales.free + sales.held + sales.booked + sales.blocked == sales.capacity


def test_only_events_to_come_that_were_opened_are_shown(event):
    factories.draft_event()
    past = factories.opened_event()
    Event.objects.filter(pk=past.pk).update(starts_at=timezone.now() - timedelta(days=2))

    assert [sales.event_id for sales in coming()] == [event.pk]


def test_an_organizer_sees_only_what_is_theirs(event):
    factories.opened_event()

    assert [sales.event_id for sales in coming(organizer_ids=[event.organizer_id])] == [event.pk]
    assert coming(organizer_ids=[]) == []


def test_the_first_page_of_the_admin_shows_the_sales(client, event):
    staff = factories.UserFactory(is_staff=True, is_superuser=True)
    client.force_login(staff)

    page = client.get("/admin/").content.decode()

    assert event.title in page
    assert "0 of 30" in page
