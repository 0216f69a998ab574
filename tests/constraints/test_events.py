import pytest

from events.models import FeeKind
from tests.constraints.breaking import broken_by, copy
from tests.factories import SeriesFactory, draft_event, presale_code

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def event():
    event = draft_event(fees={FeeKind.TICKET: 100})
    presale_code(event)
    return event


@pytest.mark.parametrize(
    ("name", "table", "changes"),
    [
        ("events_zone_name_is_unique_in_event", "events_pricezone", {"rank": "9"}),
        ("events_zone_rank_is_unique_in_event", "events_pricezone", {"name": "'Other'"}),
        ("events_fare_name_is_unique_in_event", "events_fare", {"rank": "9"}),
        ("events_fare_rank_is_unique_in_event", "events_fare", {"name": "'Other'"}),
        ("events_one_price_per_zone_and_fare", "events_price", {}),
        ("events_fee_name_is_unique_in_event", "events_fee", {}),
        ("events_access_code_is_unique_in_on_sale", "events_accesscode", {}),
        ("events_event_slug_key", "events_event", {}),
        ("events_organizer_name_key", "events_organizer", {"slug": "'other'"}),
    ],
)
def test_there_is_one_of_a_kind(name, table, changes):
    assert broken_by(copy(table, **changes)) == name


def test_a_series_has_an_address_of_its_own():
    SeriesFactory.create()

    assert broken_by(copy("events_series")) == "events_series_slug_key"


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("events_event_state_is_known", "UPDATE events_event SET state = 'x'"),
        ("events_event_ends_after_it_starts", "UPDATE events_event SET ends_at = starts_at"),
        (
            "events_doors_open_before_the_start",
            "UPDATE events_event SET doors_at = starts_at + interval '1 second'",
        ),
        ("events_lease_is_within_its_cap", "UPDATE events_event SET lease_seconds = 29"),
        ("events_lease_is_within_its_cap", "UPDATE events_event SET max_lease_seconds = 60"),
        (
            "events_lease_is_within_its_cap",
            "UPDATE events_event SET max_lease_seconds = 86401",
        ),
        ("events_limit_per_fan_is_positive", "UPDATE events_event SET limit_per_fan = 0"),
        (
            "events_cancellation_fee_is_bounded",
            "UPDATE events_event SET cancellation_fee_minor = 1000000001",
        ),
        ("events_on_sale_closes_after_it_opens", "UPDATE events_onsale SET closes_at = opens_at"),
        ("events_zone_rank_is_a_letter", "UPDATE events_pricezone SET rank = 26"),
        (
            "events_access_code_lets_somebody_in",
            "UPDATE events_accesscode SET max_holds = 0",
        ),
        (
            "events_access_code_lets_somebody_in",
            "UPDATE events_accesscode SET max_places = 0",
        ),
        ("events_fare_takes_a_place_or_some", "UPDATE events_fare SET places = 0"),
        ("events_fare_takes_a_place_or_some", "UPDATE events_fare SET places = 51"),
        ("events_price_is_bounded", "UPDATE events_price SET amount_minor = 1000000001"),
        ("events_fee_is_bounded", "UPDATE events_fee SET amount_minor = 1000000001"),
    ],
)
def test_what_may_never_be_is_refused_by_name(name, sql):
    assert broken_by(sql) == name
