import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.venues.plans import line, plan, two_floors, zone
from venues.models import SeatMap, SeatMapState, Venue

pytestmark = pytest.mark.django_db


@pytest.fixture
def write(tmp_path):
    def write(document):
        path = tmp_path / "plan.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    return write


def run(path, *options):
    out = StringIO()
    call_command("import_seatmap", path, "--venue", "Town hall", *options, stdout=out)
    return out.getvalue()


def test_the_report_counts_what_was_found_and_what_was_repaired(write):
    report = run(write(two_floors()), "--time-zone", "Europe/Berlin", "--city", "Berlin")

    assert "2 sections, 3 rows, 4 segments at aisles, 11 seats" in report
    assert "3 seats had a seat_guid that was taken" in report
    assert "2-1 → 2-1~2" in report
    assert "Imported as “Small hall” version 1 of Town hall." in report
    venue = Venue.objects.get()
    assert (venue.time_zone, venue.city) == ("Europe/Berlin", "Berlin")
    assert SeatMap.objects.get().state == SeatMapState.DRAFT


def test_it_can_be_published_at_once_and_run_again(write):
    run(write(two_floors()), "--publish")

    again = run(write(two_floors()), "--publish")

    assert "Nothing changed" in again
    assert SeatMap.objects.get().state == SeatMapState.PUBLISHED


def test_a_dry_run_writes_nothing(write):
    report = run(write(two_floors()), "--dry-run")

    assert "nothing was written" in report
    assert not Venue.objects.exists()


def test_a_broken_file_is_refused_with_the_place_of_its_fault(write):
    with pytest.raises(CommandError, match="line 1, column 2: this is not JSON"):
        run(write("{"))
    with pytest.raises(CommandError, match=r"zones\[0\]\.rows\[0\]\.seats\[0\]\.category"):
        run(write(plan(zone("Stalls", line("1", 0, category="C")))))

    assert not SeatMap.objects.exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.json cannot be read: No such file"):
        run(tmp_path / "nowhere.json")


def test_a_time_zone_that_nobody_knows_is_refused(write):
    with pytest.raises(CommandError, match="“Mars/Base” is no time zone"):
        run(write(two_floors()), "--time-zone", "Mars/Base")
    with pytest.raises(CommandError, match="is no time zone"):
        run(write(two_floors()), "--time-zone", "../etc/passwd")
