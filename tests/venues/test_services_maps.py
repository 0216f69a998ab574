import pytest
from django.utils import timezone

from tests.factories import VenueFactory
from tests.venues.plans import line, plan, two_floors, zone
from venues import pretix, seatmaps, selectors, usage
from venues.errors import Incomplete, NotADraft, SeatsWouldVanish
from venues.models import Row, Seat, SeatMap, SeatMapState
from venues.services import maps

pytestmark = pytest.mark.django_db


@pytest.fixture
def venue():
    return VenueFactory.create()


@pytest.fixture
def needed(monkeypatch):
    """The guids that somebody holds or owns, as inventory would say."""
    guids: set[str] = set()
    monkeypatch.setattr(usage, "_providers", [lambda _venue_id, _name: guids])
    return guids


def read(document):
    found, _ = pretix.read(document)
    return found


def bring_in(venue, document, *, published=True):
    imported = maps.import_plan(venue_id=venue.pk, plan=read(document), name="Plan")
    if published:
        maps.publish(seat_map_id=imported.seat_map_id, at=timezone.now())
    return imported


def test_an_imported_plan_is_a_draft_that_reads_back_the_same(venue):
    document = two_floors()

    imported = maps.import_plan(venue_id=venue.pk, plan=read(document), name="Plan")

    seat_map = SeatMap.objects.get(pk=imported.seat_map_id)
    assert (seat_map.state, seat_map.version) == (SeatMapState.DRAFT, 1)
    again = selectors.plan(seat_map.pk)
    assert seatmaps.canonical(again) == seatmaps.canonical(read(document))
    assert Seat.objects.filter(seat_map=seat_map).count() == 11


def test_seats_are_counted_through_the_whole_map_and_along_each_row(venue):
    imported = bring_in(venue, two_floors())

    seats = Seat.objects.filter(seat_map_id=imported.seat_map_id).order_by("index")
    assert [seat.index for seat in seats] == list(range(11))
    first_row = [(seat.position, seat.segment) for seat in seats[:5]]
    assert first_row == [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)]


def test_importing_the_same_plan_again_changes_nothing(venue):
    first = bring_in(venue, two_floors())

    again = maps.import_plan(venue_id=venue.pk, plan=read(two_floors()), name="Plan")

    assert (again.seat_map_id, again.is_new) == (first.seat_map_id, False)


def test_another_plan_of_the_name_is_the_next_version(venue):
    bring_in(venue, two_floors())

    imported = maps.import_plan(
        venue_id=venue.pk, plan=read(plan(zone("Stalls", line("1", 0, 30)))), name="Plan"
    )

    assert (imported.version, imported.is_new) == (2, True)


def test_a_plan_arrives_whole_or_not_at_all(venue, monkeypatch):
    monkeypatch.setattr(Seat.objects, "bulk_create", lambda *_, **__: None)

    with pytest.raises(Incomplete):
        maps.import_plan(venue_id=venue.pk, plan=read(two_floors()), name="Plan")

    assert not SeatMap.objects.exists()
    assert not Row.objects.exists()


def test_a_published_version_carries_the_hash_of_its_content(venue):
    imported = bring_in(venue, two_floors())

    seat_map = SeatMap.objects.get(pk=imported.seat_map_id)
    assert seat_map.state == SeatMapState.PUBLISHED
    assert seat_map.content_hash == seatmaps.content_hash(read(two_floors()))


def test_publishing_twice_changes_nothing_and_says_so(venue):
    imported = bring_in(venue, two_floors())

    assert maps.publish(seat_map_id=imported.seat_map_id, at=timezone.now()) is False


def test_a_retired_version_is_not_published_again(venue):
    imported = bring_in(venue, two_floors())
    SeatMap.objects.all().move_to(SeatMapState.RETIRED)

    with pytest.raises(NotADraft):
        maps.publish(seat_map_id=imported.seat_map_id, at=timezone.now())


def test_a_version_without_a_seat_that_somebody_owns_is_refused_by_name(venue, needed):
    bring_in(venue, two_floors())
    needed.add("1-5")
    without = maps.import_plan(
        venue_id=venue.pk, plan=read(plan(zone("Stalls", line("1", 0, 30)))), name="Plan"
    )

    with pytest.raises(SeatsWouldVanish) as refusal:
        maps.publish(seat_map_id=without.seat_map_id, at=timezone.now())

    assert refusal.value.guids == {"1-5"}
    assert SeatMap.objects.get(pk=without.seat_map_id).state == SeatMapState.DRAFT


def test_a_version_that_only_adds_seats_is_published(venue, needed):
    bring_in(venue, two_floors())
    needed.add("1-5")
    longer = two_floors()
    longer["zones"].append(zone("Gallery", line("Z", 0, 30), y=250))

    imported = bring_in(venue, longer)

    assert imported.version == 2
    assert SeatMap.objects.get(pk=imported.seat_map_id).state == SeatMapState.PUBLISHED


def test_a_drawing_knows_sections_and_how_many_places_each_has(venue):
    imported = bring_in(venue, two_floors())

    drawing = selectors.drawing(imported.seat_map_id)

    assert [(s.name, s.places) for s in drawing.sections] == [("Stalls", 8), ("Balcony", 3)]
    assert drawing.seat_count == 11
    assert drawing.section("balcony") == drawing.sections[1]
    assert drawing.section("cellar") is None


def test_geometry_of_a_published_map_is_read_once(venue, django_assert_num_queries):
    imported = bring_in(venue, two_floors())
    drawing = selectors.drawing(imported.seat_map_id)
    rows = selectors.rows(drawing.sections[0].id)

    with django_assert_num_queries(2):
        assert selectors.drawing(imported.seat_map_id) is drawing
        assert selectors.rows(drawing.sections[0].id) is rows

    assert [[len(segment) for segment in row.segments] for row in rows] == [[3, 2], [3]]


def test_geometry_of_a_draft_is_read_every_time(venue):
    imported = bring_in(venue, two_floors(), published=False)
    before = selectors.drawing(imported.seat_map_id)
    Seat.objects.filter(seat_map_id=imported.seat_map_id, guid="1-1").delete()

    after = selectors.drawing(imported.seat_map_id)

    assert (before.seat_count, after.seat_count) == (11, 10)
