"""An organizer's people see and choose what is theirs, and no other's."""

import pytest
from django.urls import reverse

from events import terms
from events.models import Event
from inventory.models import EventSeat, Hold
from tests.factories import OrganizerFactory, SeriesFactory, opened_event, presale_code
from tests.inventory.asking import place

pytestmark = pytest.mark.django_db
SCOPED = [
    "events_event",
    "events_onsale",
    "events_accesscode",
    "events_pricezone",
    "events_price",
    "events_fare",
    "events_fee",
    "inventory_eventseat",
    "inventory_admissionpool",
    "inventory_hold",
    "inventory_holdline",
]


@pytest.fixture
def stranger():
    """Somebody else's event, with a hold."""
    event = opened_event(title="Stranger", pool_capacity=3, fees={"ticket": 100})
    seat = EventSeat.objects.filter(event=event).earliest("pk")
    place(terms.of(event.pk), [seat.pk])
    presale_code(event)
    return event


@pytest.mark.parametrize("page", SCOPED)
def test_rows_of_another_organizer_are_not_listed(desk, stranger, page):
    listed = desk.get(reverse(f"admin:{page}_changelist")).context["cl"]

    assert listed.queryset.count() == 0


@pytest.mark.parametrize("page", SCOPED)
def test_the_box_office_sees_every_organizers_rows(client, staff, stranger, page):
    client.force_login(staff)

    listed = client.get(reverse(f"admin:{page}_changelist")).context["cl"]

    assert listed.queryset.count() > 0


@pytest.mark.parametrize("model", ["payment", "refund", "providercall", "providerevent"])
def test_money_of_all_organizers_is_not_for_one_of_them(desk, model):
    assert desk.get(reverse(f"admin:payments_{model}_changelist")).status_code == 403


def test_another_organizers_event_can_neither_be_opened_nor_moved(desk, stranger):
    for name, extra in [("change", []), ("delete", []), ("step", ["pause"])]:
        address = reverse(f"admin:events_event_{name}", args=[stranger.pk, *extra])
        assert desk.post(address).status_code in {302, 403, 404}

    stranger.refresh_from_db()
    assert not stranger.is_paused


def test_only_ones_own_organizers_and_series_can_be_chosen(desk, organizer):
    SeriesFactory.create(name="Theirs")
    mine = SeriesFactory.create(name="Mine", organizer=organizer.organizers.get())
    OrganizerFactory.create(name="Another")

    form = desk.get(reverse("admin:events_event_add")).context["adminform"].form
    offered = desk.get(
        reverse("admin:autocomplete"),
        {"app_label": "events", "model_name": "event", "field_name": "series", "term": ""},
    ).json()["results"]

    assert list(form.fields["organizer"].queryset) == [mine.organizer]
    assert [found["text"] for found in offered] == ["Mine"]


def test_an_organizer_cannot_write_what_only_services_write(desk, event):
    seat = EventSeat.objects.filter(event=event).earliest("pk")

    response = desk.post(
        reverse("admin:inventory_eventseat_change", args=[seat.pk]), {"state": "booked"}
    )

    assert response.status_code == 403
    assert not Hold.objects.exists()
    assert Event.objects.get(pk=event.pk).state == "published"
