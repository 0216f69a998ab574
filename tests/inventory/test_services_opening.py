import pytest
from django.utils import timezone

from events.models import EventState, Fare, FeeKind, OnSale, PriceZone
from inventory.errors import OpeningRefused
from inventory.models import AdmissionPool, EventSeat
from inventory.services import opening
from tests.factories import draft_event, opened_event
from ticketing.kernel.models import OutboxMessage

pytestmark = pytest.mark.django_db


def open_event(event):
    return opening.open_event(event_id=event.pk, at=timezone.now())


def refusal_of(event):
    with pytest.raises(OpeningRefused) as refusal:
        open_event(event)
    return " ".join(refusal.value.reasons)


def test_opening_makes_every_seat_and_a_pool_of_every_standing_area():
    event = draft_event(rows=2, seats_per_row=5, pool_capacity=30)

    opened = open_event(event)

    assert opened == opening.Opened(seats=10, pools=1, is_new=True)
    assert EventSeat.objects.filter(event=event, zone__name="Stalls").count() == 10
    pool = AdmissionPool.objects.get(event=event)
    assert (pool.capacity, pool.zone.name, pool.section.name) == (30, "Floor", "Floor")


def test_opening_puts_the_event_on_the_programme_and_tells_it():
    event = opened_event(rows=1, seats_per_row=3)

    assert event.state == EventState.PUBLISHED
    assert event.opened_at is not None
    fact = OutboxMessage.objects.get(topic="inventory.event_opened", key=str(event.pk))
    assert fact.payload == {"event_id": event.pk, "seats": 3, "pools": 0}


def test_opening_twice_changes_nothing_and_says_so():
    event = opened_event(rows=1, seats_per_row=3)

    again = open_event(event)

    assert again == opening.Opened(seats=3, pools=0, is_new=False)


def test_general_admission_needs_no_map_but_a_pool():
    event = opened_event(rows=0, pool_capacity=50)

    assert event.seat_map is None
    assert AdmissionPool.objects.get(event=event).capacity == 50
    assert "neither a seat map nor general admission" in refusal_of(draft_event(rows=0))


def test_each_category_must_be_in_exactly_one_zone():
    event = draft_event()
    zone = event.price_zones.get()
    zone.categories = ["Stall"]
    zone.save()
    assert "“Stalls” of the seat map is in no price zone" in refusal_of(event)
    assert "“Stall”, which the seat map does not have" in refusal_of(event)

    zone.categories = ["Stalls"]
    zone.save()
    PriceZone.objects.create(event=event, name="Twice", rank=1, categories=["Stalls"])

    assert "in more than one price zone (Stalls, Twice)" in refusal_of(event)


def test_every_reason_is_named_at_once_and_nothing_is_made():
    event = draft_event()
    OnSale.objects.filter(event=event).delete()
    Fare.objects.create(event=event, name="Member", rank=5)

    reasons = refusal_of(event)

    assert "no on-sale" in reasons
    assert "“Stalls” has no price for “Member”" in reasons
    assert not EventSeat.objects.filter(event=event).exists()
    event.refresh_from_db()
    assert event.state == EventState.DRAFT


def test_a_price_that_nobody_can_charge_is_refused():
    event = draft_event(currency="HUF", price_minor=250050)
    assert "cannot be paid in HUF" in refusal_of(event)

    fee = draft_event(currency="KWD", price_minor=5000, fees={FeeKind.BOOKING: 125})

    assert "“Fee booking” cannot be paid in KWD" in refusal_of(fee)


def test_a_map_that_is_still_a_draft_is_refused():
    event = draft_event()
    draft = event.seat_map
    draft.pk = None
    draft.version += 1000
    draft.state, draft.published_at = "draft", None
    draft.save()
    event.seat_map = draft
    event.save()

    assert "is draft: choose a published one" in refusal_of(event)
