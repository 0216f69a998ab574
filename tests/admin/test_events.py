"""An event's page: prices as people write them, times of the venue, steps that ask first."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from events.models import Event, EventState, Fee, FeeKind, OnSale, Price
from inventory.models import AdmissionPool, EventSeat
from tests.factories import VenueFactory, draft_event, opened_event, published_map

pytestmark = pytest.mark.django_db


def filled(page):
    """Everything that the browser would send back from a page, as it stands there."""
    data = {}
    for form in [page.context["adminform"].form, *forms_of(page)]:
        for name in form.fields:
            bound = form[name]
            value = bound.value()
            if hasattr(bound.field.widget, "decompress"):
                for number, part in enumerate(bound.subwidgets[0].data["subwidgets"]):
                    data[f"{bound.html_name}_{number}"] = part["value"] or ""
            elif isinstance(value, bool):
                data |= {bound.html_name: "on"} if value else {}
            else:
                data[bound.html_name] = "" if value is None else value
    return data


def forms_of(page):
    for inline in page.context["inline_admin_formsets"]:
        yield inline.formset.management_form
        yield from inline.formset.forms


def address(event, name="change", *extra):
    return reverse(f"admin:events_event_{name}", args=[event.pk, *extra])


def save(desk, event, **changes):
    page = desk.get(address(event))
    return desk.post(address(event), filled(page) | changes)


def field_of(page, prefix, name, *, of):
    """The name of an inline's field in the row of an object."""
    for form in forms_of(page):
        if getattr(form, "instance", None) == of and form.prefix.startswith(prefix):
            return f"{form.prefix}-{name}"
    raise LookupError(of)


@pytest.fixture
def draft(organizer):
    return draft_event(
        organizer=organizer.organizers.get(),
        starts_at=datetime(2027, 11, 18, 17, tzinfo=UTC),
        venue=VenueFactory.create(time_zone="Europe/London"),
    )


def test_saving_an_event_as_it_is_changes_nothing(desk, draft):
    before = Event.objects.filter(pk=draft.pk).values().get()
    prices = list(Price.objects.values().order_by("pk"))

    response = save(desk, draft)

    assert response.status_code == 302
    assert Event.objects.filter(pk=draft.pk).values().get() == before
    assert list(Price.objects.values().order_by("pk")) == prices


def test_times_are_shown_and_read_by_the_clock_of_the_venue(desk, draft):
    page = desk.get(address(draft))
    assert "17:00:00" in page.content.decode()
    assert "By the clock of the venue (Europe/London)." in page.content.decode()

    # In summer the same clock is an hour ahead of UTC.
    save(desk, draft, starts_at_0="2027-07-01", starts_at_1="19:30:00")

    draft.refresh_from_db()
    assert draft.starts_at == datetime(2027, 7, 1, 18, 30, tzinfo=UTC)


@pytest.mark.parametrize("clock", [("2027-03-28", "01:30:00"), ("2027-10-31", "01:30:00")])
def test_a_time_that_is_not_there_or_there_twice_is_asked_about(desk, draft, clock):
    response = save(desk, draft, starts_at_0=clock[0], starts_at_1=clock[1])

    assert response.status_code == 200
    assert "starts_at" in response.context["adminform"].form.errors


def test_prices_are_a_grid_in_the_events_currency(desk, organizer):
    event = draft_event(organizer=organizer.organizers.get(), currency="JPY", price_minor=5000)
    zone, fare = event.price_zones.get(), event.fares.first()
    page = desk.get(address(event))
    name = field_of(page, "price_zones", f"price_{fare.pk}", of=zone)
    assert str(filled(page)[name]) == "5000"

    save(desk, event, **{name: "7200"})

    assert Price.objects.get(zone=zone, fare=fare).amount_minor == 7200


@pytest.mark.parametrize(
    ("currency", "written", "minor"),
    [("EUR", "12.50", 1250), ("JPY", "1250", 1250), ("KWD", "1.250", 1250), ("EUR", "", None)],
)
def test_money_is_typed_as_people_write_it(desk, organizer, currency, written, minor):
    event = draft_event(organizer=organizer.organizers.get(), currency=currency)
    zone, fare = event.price_zones.get(), event.fares.first()
    name = field_of(desk.get(address(event)), "price_zones", f"price_{fare.pk}", of=zone)

    assert save(desk, event, **{name: written}).status_code == 302

    kept = Price.objects.filter(zone=zone, fare=fare).values_list("amount_minor", flat=True)
    assert list(kept) == ([] if minor is None else [minor])


@pytest.mark.parametrize(
    ("currency", "written"),
    [("JPY", "12.5"), ("EUR", "1.005"), ("EUR", "-1"), ("HUF", "10.50"), ("EUR", "99999999999")],
)
def test_money_that_nobody_can_pay_is_refused_where_it_is_typed(desk, organizer, currency, written):
    event = draft_event(organizer=organizer.organizers.get(), currency=currency)
    zone, fare = event.price_zones.get(), event.fares.first()
    name = field_of(desk.get(address(event)), "price_zones", f"price_{fare.pk}", of=zone)

    response = save(desk, event, **{name: written})

    assert response.status_code == 200
    assert Price.objects.get(zone=zone, fare=fare).amount_minor == 5000


def test_a_fee_is_typed_as_money_too(desk, organizer):
    event = draft_event(organizer=organizer.organizers.get(), fees={FeeKind.TICKET: 150})
    fee = Fee.objects.get()
    page = desk.get(address(event))
    name = field_of(page, "fees", "amount", of=fee)
    assert str(filled(page)[name]) == "1.50"

    save(desk, event, **{name: "2.00"})

    fee.refresh_from_db()
    assert fee.amount_minor == 200


def test_a_map_of_another_venue_or_a_draft_cannot_be_chosen(desk, draft):
    other = published_map(VenueFactory.create())

    response = save(desk, draft, seat_map=str(other.pk))

    assert "another venue" in str(response.context["adminform"].form.errors["seat_map"])


def test_a_new_event_is_made_on_one_page(desk, organizer):
    venue = VenueFactory.create(time_zone="Asia/Tokyo")
    blank = filled(desk.get(reverse("admin:events_event_add")))

    response = desk.post(
        reverse("admin:events_event_add"),
        blank
        | {
            "title": "New",
            "slug": "new",
            "organizer": organizer.organizers.get().pk,
            "venue": venue.pk,
            "currency": "JPY",
            "starts_at_0": "2027-02-12",
            "starts_at_1": "20:00:00",
        },
    )

    assert response.status_code == 302
    made = Event.objects.get(slug="new")
    assert made.starts_at == datetime(2027, 2, 12, 11, tzinfo=UTC)
    assert made.state == EventState.DRAFT


def test_a_form_that_was_open_meanwhile_does_not_undo_a_pause(desk, event):
    data = filled(desk.get(address(event))) | {"title": "Another title"}
    Event.objects.filter(pk=event.pk).update(is_paused=True)

    assert desk.post(address(event), data).status_code == 302

    event.refresh_from_db()
    assert (event.title, event.is_paused) == ("Another title", True)


def test_an_event_is_opened_for_sale_on_its_page_after_a_question(desk, draft):
    asked = desk.get(address(draft, "step", "open"))
    assert "Leave it as it is" in asked.content.decode()
    assert not EventSeat.objects.exists()

    answer = desk.post(address(draft, "step", "open"), follow=True)

    assert "Open for sale, with 20 seats and 0 pools" in answer.content.decode()
    assert EventSeat.objects.filter(event=draft).count() == 20


def test_what_stands_against_opening_is_shown_on_the_page(desk, draft):
    OnSale.objects.filter(event=draft).delete()

    answer = desk.post(address(draft, "step", "open"), follow=True)

    assert "It has no on-sale" in answer.content.decode()
    draft.refresh_from_db()
    assert draft.state == EventState.DRAFT


def test_a_draft_is_put_on_the_programme_before_it_sells(desk, draft, client):
    desk.post(address(draft, "step", "announce"))

    draft.refresh_from_db()
    assert (draft.state, draft.opened_at) == (EventState.PUBLISHED, None)
    page = client.get(f"/events/{draft.slug}/")
    assert page.status_code == 200
    assert "Choose seats" not in page.content.decode()
    assert draft.title in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("step", "field", "value"),
    [
        ("pause", "is_paused", True),
        ("postpone", "state", EventState.POSTPONED),
        ("cancel", "state", EventState.CANCELLED),
    ],
)
def test_steps_are_made_by_posting_and_only_once(desk, event, step, field, value):
    desk.get(address(event, "step", step))
    event.refresh_from_db()
    assert getattr(event, field) != value

    desk.post(address(event, "step", step))
    again = desk.post(address(event, "step", step), follow=True)

    event.refresh_from_db()
    assert getattr(event, field) == value
    assert "not possible, or was done meanwhile" in again.content.decode()


def test_what_places_hang_on_stands_still_once_they_are_made(desk, event):
    page = desk.get(address(event))

    fields = page.context["adminform"].form.fields
    assert not {"venue", "seat_map", "currency", "organizer", "state"} & set(fields)


def test_an_event_that_was_on_the_programme_is_cancelled_and_never_deleted(desk, event):
    answer = desk.post(address(event, "delete"), {"post": "yes"}, follow=True)

    assert "cancel the event instead" in answer.content.decode()
    assert Event.objects.filter(pk=event.pk).exists()


def test_a_draft_may_be_deleted_with_its_parts(desk, draft):
    desk.post(address(draft, "delete"), {"post": "yes"})

    assert not Event.objects.filter(pk=draft.pk).exists()


def test_a_zone_that_seats_hang_on_is_not_deleted(desk, event):
    page = desk.get(address(event))
    name = field_of(page, "price_zones", "DELETE", of=event.price_zones.first())

    response = save(desk, event, **{name: "on"})

    assert response.status_code == 200
    assert event.price_zones.count() == 2


def test_the_page_of_an_event_never_writes_what_is_taken_of_a_pool(desk, event):
    pool = AdmissionPool.objects.get(event=event)
    data = filled(desk.get(address(event)))
    capacity = next(name for name in data if name.endswith("-capacity"))
    AdmissionPool.objects.filter(pk=pool.pk).update(held=2, booked=3)

    refused = desk.post(address(event), data | {capacity: "4"})
    assert desk.post(address(event), data | {capacity: "25"}).status_code == 302

    assert "5 places are held or booked" in refused.content.decode()
    pool.refresh_from_db()
    assert (pool.capacity, pool.held, pool.booked) == (25, 2, 3)


def test_a_description_is_text_and_never_runs(desk, organizer):
    event = opened_event(
        organizer=organizer.organizers.get(), description="<script>alert(1)</script>"
    )

    shown = desk.get(address(event)).content.decode()

    assert "<script>alert(1)" not in shown
