import json
from contextlib import suppress
from math import cos, pi, sin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.venues.plans import line, plan, row, seat, two_floors, zone
from venues import documents, geometry, pretix
from venues.errors import BadPlan
from venues.seatmaps import Kind, content_hash


def read(document, **options):
    return pretix.read(document, **options)


def refusal_of(document):
    with pytest.raises(BadPlan) as refusal:
        read(document)
    return [str(problem) for problem in refusal.value.problems]


def numbers(segments):
    return [[seat.number for seat in segment] for segment in segments]


def test_sections_rows_and_seats_are_read_in_order():
    found, _ = read(two_floors())

    assert [section.slug for section in found.sections] == ["stalls", "balcony"]
    assert [row.label for row in found.rows] == ["1", "2", "2"]
    assert len(list(found.seats)) == 11


def test_a_gap_wider_than_half_again_the_usual_one_is_an_aisle():
    found, _ = read(two_floors())

    assert numbers(found.sections[0].rows[0].segments) == [["1", "2", "3"], ["4", "5"]]


def test_a_seat_whose_name_is_taken_gets_another_and_is_reported():
    found, report = read(two_floors())

    assert report.renamed == [("2-1", "2-1~2"), ("2-2", "2-2~2"), ("2-3", "2-3~2")]
    assert len({seat.guid for seat in found.seats}) == 11


def test_places_of_zone_row_and_seat_add_up():
    found, _ = read(two_floors())

    balcony = found.sections[1].rows[0].seats
    assert [seat.at for seat in balcony] == [(50, 190), (80, 190), (110, 190)]


def test_numbers_that_repeat_the_row_are_shown_without_it():
    seats = [seat(f"x-{n}", 30 * n, seat_number=f"17-{n}") for n in (1, 2, 3)]

    found, report = read(plan(zone("Stalls", row("17", seats))))

    assert [seat.number for seat in found.seats] == ["1", "2", "3"]
    assert any("repeat the row" in note for note in report.notes)


def test_seats_stand_from_left_to_right_whatever_the_order_of_the_file():
    found, _ = read(plan(zone("Stalls", line("1", 90, 60, 30, 0))))

    assert [seat.number for seat in found.seats] == ["4", "3", "2", "1"]


def test_a_row_that_runs_down_the_side_is_a_row():
    seats = [seat(f"s-{n}", 5, 30 * n) for n in (3, 1, 2)]

    found, report = read(plan(zone("Side", row("1", seats))))

    assert [seat.number for seat in found.seats] == ["1", "2", "3"]
    assert report.tables == 0


def test_a_curved_row_is_a_row_and_not_a_table():
    arc = [pi + pi * n / 20 for n in range(1, 20)]
    seats = [seat(f"c-{n}", 200 * cos(a), 200 * sin(a)) for n, a in enumerate(arc)]

    found, report = read(plan(zone("Circle", row("1", seats))))

    assert report.tables == 0
    assert [seat.number for seat in found.seats] == [str(n) for n in range(19)]
    assert len(found.sections[0].rows[0].segments) == 1


def test_a_table_keeps_the_order_of_the_file_and_has_no_aisle():
    around = [(0, 0), (30, 0), (60, 0), (60, 70), (30, 70), (0, 70)]
    seats = [seat(f"t-{n}", x, y) for n, (x, y) in enumerate(around)]

    found, report = read(plan(zone("Cellar", row("T1", seats))))

    assert report.tables == 1
    assert numbers(found.sections[0].rows[0].segments) == [["0", "1", "2", "3", "4", "5"]]


def test_rows_of_one_zone_with_the_same_number_are_one_row_with_an_aisle():
    right = row("A", [seat("r-4", 100), seat("r-5", 120)])
    left = row("A", [seat("l-1", 0), seat("l-2", 20), seat("l-3", 40)])

    found, _ = read(plan(zone("Stalls", right, left)))

    [one] = found.sections[0].rows
    assert numbers(one.segments) == [["1", "2", "3"], ["4", "5"]]


@pytest.mark.parametrize("xs", [(0, 30, 60, 90), (90, 60, 30, 0)])
def test_breaks_that_the_file_tells_are_aisles_even_without_a_gap(xs):
    told = line("1", *xs) | {"segment_breaks": [1]}

    found, _ = read(plan(zone("Stalls", told)))

    pieces = numbers(found.sections[0].rows[0].segments)
    assert {frozenset(piece) for piece in pieces} == {frozenset("1"), frozenset("234")}


def test_wheelchair_spaces_and_standing_areas_are_read_where_a_file_has_them():
    ground = {"shape": "rectangle", "position": {"x": 100, "y": 100}, "color": "#ddd"} | {
        "rectangle": {"width": 100, "height": 50}
    }
    floor = zone("Floor", areas=[ground], standing={"capacity": 248, "category": "B"})
    stalls = zone("Stalls", row("1", [seat("1-1", 0, wheelchair=True), seat("1-2", 30)], y=60))

    found, _ = read(plan(floor, stalls))

    standing, seated = found.sections
    assert (standing.kind, standing.capacity, standing.category) == (Kind.STANDING, 248, "B")
    assert standing.outline == ((100, 100), (200, 100), (200, 150), (100, 150))
    assert [seat.is_wheelchair for seat in seated.rows[0].seats] == [True, False]


def test_an_old_file_without_size_and_with_forgotten_keys_is_read_and_the_rest_reported():
    document = plan(zone("Stalls", line("1", 0, 30), displayed=True, colour="red"))
    del document["size"]
    document["author"] = "somebody"
    document["zones"][0]["rows"][0]["number_of_seats"] = 2

    found, report = read(document)

    assert found.width > 40
    assert report.unread == {"author": 1, "zones[].colour": 1}


def test_a_plan_is_made_larger_where_seats_would_lie_outside():
    document = plan(zone("Stalls", line("1", -200, -170, 500)))

    found, _ = read(document)

    assert all(0 <= x <= found.width for s in found.sections for x, _ in s.outline)
    assert min(seat.x for seat in found.seats) > 0


def test_every_seat_is_inside_the_outline_of_its_section():
    found, _ = read(two_floors())

    for section in found.sections:
        for row_ in section.rows:
            assert all(geometry.contains(section.outline, seat.at) for seat in row_.seats)


def test_a_category_that_is_not_listed_is_refused_by_name_and_place():
    document = plan(zone("Stalls", line("1", 0, 30, category="C"), line("2", 0, category="D")))

    first, second = refusal_of(document)

    assert first.startswith("zones[0].rows[0].seats[0].category: the category “C” (2 seats)")
    assert "“D” (1 seats)" in second


def test_seats_that_look_unsellable_are_asked_about_and_can_be_left_out():
    document = plan(
        zone("Stalls", line("1", 0, 30), line("2", 0, 30, category="NOT AVAILABLE")),
        categories=("A", "NOT AVAILABLE"),
    )

    asked, report = read(document)
    left, nothing = read(document, leave_out=["NOT AVAILABLE"])

    assert len(list(asked.seats)) == 4
    assert '--leave-out "NOT AVAILABLE"' in report.questions[0]
    assert [row.label for row in left.rows] == ["1"]
    assert [category.name for category in left.categories] == ["A"]
    assert nothing.questions == []


def test_a_plan_without_categories_has_one():
    document = plan(zone("Beer garden", line("1", 0, 30, category="")), categories=())

    found, _ = read(document)

    assert [category.name for category in found.categories] == ["Standard"]


def test_zones_of_one_name_get_names_and_slugs_of_their_own():
    found, report = read(plan(zone("Block", line("1", 0)), zone("Block", line("2", 0), y=90)))

    assert [(s.name, s.slug) for s in found.sections] == [
        ("Block", "block"),
        ("Block (2)", "block-2"),
    ]
    assert "“Block (2)”" in report.notes[0]


def test_the_same_content_has_the_same_hash_whatever_it_is_called():
    one, _ = read(two_floors())
    other, _ = read(two_floors() | {"name": "Another name"})
    moved, _ = read(plan(zone("Stalls", line("1", 0, 31))))

    assert content_hash(one) == content_hash(other) != content_hash(moved)


@pytest.mark.parametrize(
    ("broken", "where", "what"),
    [
        ([], "", "a plan is an object"),
        ({"zones": []}, "zones: ", "not one place"),
        ({}, "zones: ", "a list is missing"),
        ({"zones": [7]}, "zones[0]: ", "an object is missing"),
        ({"zones": [{"rows": [{"seats": [{}]}]}]}, "zones[0].rows[0].seats[0].seat_guid: ", ""),
        (plan(zone("S", row("1", [seat("", 0)]))), "zones[0].rows[0].seats[0].seat_guid: ", ""),
        (plan(zone("S", row("1", [seat("a", "x")]))), "zones[0].rows[0].seats[0].position.x", ""),
        (plan(zone("S", row("1", [seat("a", 1e300)]))), "zones[0].rows[0].seats[0].pos", ""),
        (plan(zone("S", row("1", [seat("a" * 91, 1)]))), "zones[0].rows[0].seats[0]", "shorten"),
        (plan(zone("S", areas=[{"shape": "star"}])), "zones[0].areas[0].shape", "star"),
        (plan(zone("S", standing={"capacity": 5})), "zones[0].standing", "draw its ground"),
    ],
)
def test_a_broken_plan_is_refused_with_the_place_of_its_fault(broken, where, what):
    [message] = refusal_of(broken)

    assert message.startswith(where)
    assert what in message


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"{", "line 1, column 2: this is not JSON"),
        (b'{"zones": NaN}', "NaN is not JSON"),
        (b'"\xff"', "not text in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * 20_000_001, "larger than 20 MB"),
    ],
)
def test_a_file_that_is_no_json_is_refused_in_one_sentence(data, what):
    with pytest.raises(BadPlan) as refusal:
        documents.load(data)

    assert what in str(refusal.value)


def test_more_seats_than_a_hall_can_have_are_refused(monkeypatch):
    monkeypatch.setattr(pretix, "MAX_SEATS", 10)

    [message] = refusal_of(two_floors())

    assert "more than 10 seats" in message


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["zones", "rows", "seats", "position", "x", "categories", "size"]),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_whatever_stands_in_the_file_it_is_read_or_refused(document):
    with suppress(BadPlan):
        assert read(json.loads(json.dumps(document)))
