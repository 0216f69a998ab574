from datetime import UTC, datetime, timedelta

import pytest

from events import availability, selectors
from events.availability import Level
from events.models import Event, EventState, FeeKind, OnSale, OnSaleKind
from events.status import Status
from tests.factories import EventFactory, SeriesFactory, VenueFactory, draft_event, opened_event
from ticketing.kernel.money import Money

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.events.urls")]
NOON = datetime(2027, 6, 1, 12, tzinfo=UTC)


def announced(title, starts_at, **fields):
    return EventFactory.create(
        title=title, starts_at=starts_at, state=EventState.PUBLISHED, **fields
    )


def titles(**wishes):
    return [view.title for view in selectors.upcoming(**{"at": NOON} | wishes)]


def view_of(event, at):
    view = selectors.event_by_slug(event.slug, at=at)
    assert view is not None
    return view


def status_of(event, at):
    return view_of(event, at).status


def test_what_is_over_is_not_listed_and_the_rest_is_soonest_first():
    announced("Next year", NOON + timedelta(days=365))
    announced("In an hour", NOON + timedelta(hours=1))
    announced("Over", NOON - timedelta(hours=5), ends_at=NOON - timedelta(hours=2))
    announced("Running", NOON - timedelta(hours=1), ends_at=NOON + timedelta(hours=1))
    announced("Last week", NOON - timedelta(days=7))
    EventFactory.create(title="Draft", starts_at=NOON + timedelta(days=1))

    assert titles() == ["Running", "In an hour", "Next year"]


@pytest.mark.parametrize(
    ("zone", "is_listed"), [("America/Los_Angeles", True), ("Asia/Tokyo", False)]
)
def test_an_event_without_an_end_is_listed_until_its_venues_day_is_over(zone, is_listed):
    # 22:00 UTC is 15:00 of the same day in Los Angeles and 7:00 of the next day in Tokyo.
    at = datetime(2027, 6, 1, 22, tzinfo=UTC)
    announced("Matinee", at - timedelta(hours=8), venue=VenueFactory.create(time_zone=zone))

    assert titles(at=at) == (["Matinee"] if is_listed else [])
    assert status_of(Event.objects.get(), at) == (Status.SOON if is_listed else Status.ENDED)


def test_every_word_of_a_search_is_in_title_series_venue_or_city():
    later = NOON + timedelta(days=1)
    tour = SeriesFactory.create(name="Comet Tour")
    hall = VenueFactory.create(name="Great Hall", city="Köln")
    announced("Jazz Night", later, venue=hall)
    announced("Rock Night", later, series=tour, organizer=tour.organizer)

    assert titles(query="night") == ["Jazz Night", "Rock Night"]
    assert titles(query="NIGHT köln") == ["Jazz Night"]
    assert titles(query="comet") == ["Rock Night"]
    assert titles(query="jazz comet") == []
    assert titles(query="100%") == []
    assert titles(query="\0 night") == ["Jazz Night", "Rock Night"]


def test_a_list_is_paged_and_a_page_that_is_not_there_is_the_nearest(monkeypatch):
    monkeypatch.setattr(selectors, "PER_PAGE", 2)
    for day in range(1, 6):
        announced(f"Day {day}", NOON + timedelta(days=day))

    assert titles(page=2) == ["Day 3", "Day 4"]
    assert titles(page=99) == ["Day 5"]
    assert titles(page="x") == ["Day 1", "Day 2"]


def test_a_list_costs_the_same_however_long_it_is(django_assert_max_num_queries):
    for _ in range(3):
        draft_event(state=EventState.PUBLISHED, starts_at=NOON + timedelta(days=1))

    with django_assert_max_num_queries(7):
        shown = selectors.upcoming(at=NOON)

    assert len(shown.object_list) == 3


def test_times_are_the_venues_and_say_so():
    announced(
        "Evening",
        datetime(2027, 2, 12, 11, tzinfo=UTC),
        venue=VenueFactory.create(time_zone="Asia/Tokyo"),
        doors_at=datetime(2027, 2, 12, 10, tzinfo=UTC),
    )

    view = view_of(Event.objects.get(), at=datetime(2027, 1, 1, tzinfo=UTC))

    assert (view.when, view.doors) == ("Fri 12 Feb 2027, 20:00 JST", "19:00 JST")


def test_the_first_price_has_the_fees_of_a_ticket_in_it_and_not_those_of_a_booking():
    event = draft_event(
        state=EventState.PUBLISHED,
        price_minor=5000,
        fees={FeeKind.TICKET: 150, FeeKind.BOOKING: 300},
        starts_at=NOON + timedelta(days=1),
    )

    [view] = selectors.upcoming(at=NOON)
    listed = selectors.prices(event.pk)

    assert view.from_price == Money(2650, "EUR")
    assert [[str(cell.price) for cell in zone.cells] for zone in listed.zones] == [
        ["€51.50", "€26.50"]
    ]
    assert listed.from_price == Money(2650, "EUR")
    assert [(fee.name, str(fee.amount)) for fee in listed.booking_fees] == [
        ("Fee booking", "€3.00")
    ]


def test_a_draft_has_no_page():
    event = draft_event()

    assert selectors.event_by_slug(event.slug, at=NOON) is None
    assert selectors.event_by_slug("nothing", at=NOON) is None


def test_an_event_sells_from_the_opening_until_just_before_the_close():
    opens, closes = NOON, NOON + timedelta(days=1)
    event = opened_event(
        starts_at=NOON + timedelta(days=3), sale_opens_at=opens, sale_closes_at=closes
    )
    instant = timedelta(microseconds=1)

    assert status_of(event, opens - instant) == Status.SOON
    assert status_of(event, opens) == Status.ON_SALE
    assert status_of(event, closes - instant) == Status.ON_SALE
    assert status_of(event, closes) == Status.ENDED


def test_before_the_sale_the_page_says_when_it_opens_in_the_venues_time():
    event = opened_event(starts_at=NOON + timedelta(days=3), sale_opens_at=NOON)

    view = view_of(event, at=NOON - timedelta(days=1))

    assert view.status_text == "On sale from 1 Jun, 14:00 CEST"
    assert view.sale_opens == "Tue 1 Jun 2027, 14:00 CEST"
    assert view.sale_opens_at == NOON


def test_a_presale_is_announced_but_is_no_sale_for_everybody():
    event = opened_event(starts_at=NOON + timedelta(days=9), sale_opens_at=NOON + timedelta(days=5))
    OnSale.objects.create(
        event=event,
        kind=OnSaleKind.PRESALE,
        opens_at=NOON + timedelta(days=1),
        closes_at=NOON + timedelta(days=4),
    )

    before = view_of(event, at=NOON)
    during = view_of(event, at=NOON + timedelta(days=2))

    assert before.status_text.startswith("Presale from 2 Jun")
    assert before.is_presale_next
    assert before.public_sale_opens.startswith("Sun 6 Jun")
    assert (during.status, during.status_text) == (Status.PRESALE, "Presale")
    assert during.presale_closes.startswith("Sat 5 Jun")
    assert during.sale_closes_at is None


def test_a_presale_that_runs_into_the_public_sale_keeps_nobody_out():
    event = opened_event(starts_at=NOON + timedelta(days=9), sale_opens_at=NOON)
    OnSale.objects.create(
        event=event, kind=OnSaleKind.PRESALE, opens_at=NOON, closes_at=NOON + timedelta(days=1)
    )

    assert status_of(event, NOON) == Status.ON_SALE


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({"is_paused": True}, Status.PAUSED, "Sale paused"),
        ({"state": EventState.POSTPONED}, Status.POSTPONED, "Postponed"),
        ({"state": EventState.CANCELLED}, Status.CANCELLED, "Cancelled"),
        ({"opened_at": None}, Status.SOON, "On sale soon"),
    ],
)
def test_what_stops_a_sale_is_said(changes, status, text):
    event = opened_event()
    Event.objects.filter(pk=event.pk).update(**changes)

    view = view_of(event, at=event.starts_at - timedelta(days=1))

    assert (view.status, view.status_text) == (status, text)


@pytest.mark.parametrize(
    ("level", "status"),
    [
        (Level.MANY, Status.ON_SALE),
        (Level.FEW, Status.FEW),
        (Level.NONE, Status.SOLD_OUT),
        (None, Status.ON_SALE),
    ],
)
def test_how_much_is_left_is_asked_of_the_floor_above(monkeypatch, level, status):
    event = opened_event()
    known = {event.pk: level} if level else {}
    monkeypatch.setattr(availability, "_providers", [lambda _ids: known])

    assert status_of(event, event.starts_at - timedelta(days=1)) == status
