"""Seats chosen and named in words."""

import pytest

from inventory import ranges
from inventory.ranges import Hall, Row, Seat, Section, Unclear


def hall_of(*sections):
    """A hall of (name, {row label: seat numbers}), its seats numbered from 1 in that order."""
    ids = iter(range(1, 10_000))
    return Hall(
        tuple(
            Section(
                name,
                name.lower().replace(" ", "-"),
                tuple(
                    Row(label, tuple(Seat(next(ids), str(number)) for number in numbers))
                    for label, numbers in rows.items()
                ),
            )
            for name, rows in sections
        )
    )


HALL = hall_of(
    ("Parkett", {"1": range(1, 9), "2": range(1, 9), "3": range(1, 9)}),
    ("Loge A-B", {"Table 4": "ab", "Table 5": "ab"}),
    ("101", {"C-1": [7, 5, 3, 1, 2, 4, 6, 8]}),
)
PARKETT = list(range(1, 25))


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("Parkett", PARKETT),
        ("parkett ;", PARKETT),
        ("Parkett; 2", PARKETT[8:16]),
        ("Parkett; Row 2", PARKETT[8:16]),
        ("Parkett; 1-2", PARKETT[:16]),
        ("Parkett; 1, 3", PARKETT[:8] + PARKETT[16:]),
        ("Parkett; 3; 5-7, 2", [18, 21, 22, 23]),
        ("Parkett; Row 3; 5\u20137", [21, 22, 23]),
        ("Parkett, Row 3, seat 5", [21]),
        ("#21", [21]),
        ("Parkett; 1; 1\n\nParkett; 1; 2", [1, 2]),
        ("Parkett; 1; 2\nParkett; 1; 1-2", [1, 2]),
        ("Loge A-B; table 4", [25, 26]),
        ("loge-a-b; Table 5; b", [28]),
        ("Loge A-B; Table 4; a-b", [25, 26]),
        ("101; C-1; 1-3", [31, 32, 33]),
        ("101; C-1; 8", [36]),
        ("", []),
    ],
)
def test_seats_are_chosen_in_words(text, seats):
    assert ranges.read(text, HALL) == seats


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "Parkett; 31",
            "Line 1, “Parkett; 31”: Row 31 does not exist in Parkett: rows are 1 to 3.",
        ),
        ("Balkon", "there is no section “Balkon” with seats: sections are Parkett, Loge A-B and"),
        ("Parkett; 3; 5-12", "seat 12 does not exist in Parkett, Row 3: seats are 1 to 8."),
        ("Loge A-B; 4", "Row 4 does not exist in Loge A-B: rows are Table 4 and Table 5."),
        ("Parkett; 3; 7-5", "“7-5” runs backwards."),
        ("Parkett; 3-1", "“3-1” runs backwards."),
        ("Parkett; 3; 1-2-3", "“1-2-3” is no range: write 5-12."),
        ("Parkett; 3; 5-", "“5-” is no range"),
        ("Parkett; 3; 5; 6", "expected a section, a row and seats, such as “Parkett; 1; 1”."),
        ("#999", "no seat of this event has that id."),
        ("#" + "9" * 5000, "no seat of this event has that id."),
        ("#x", "no seat of this event has that id."),
        (";", "there is no section “”"),
    ],
)
def test_what_names_no_seat_is_told_with_its_line_and_what_would_do(text, problem):
    with pytest.raises(Unclear) as unclear:
        ranges.read(text, HALL)

    assert problem in str(unclear.value)


def test_every_wrong_line_is_told_at_once():
    with pytest.raises(Unclear) as unclear:
        ranges.read("Balkon\nParkett; 1\nParkett; 9", HALL)

    assert [problem[:6] for problem in unclear.value.problems] == ["Line 1", "Line 3"]


def test_sections_of_one_name_are_told_apart_by_their_address():
    twins = Hall(
        (
            Section("Loge", "loge-left", (Row("1", (Seat(1, "1"),)),)),
            Section("Loge", "loge-right", (Row("1", (Seat(2, "1"),)),)),
        )
    )

    assert ranges.read("loge-right; 1; 1", twins) == [2]
    with pytest.raises(Unclear, match="say loge-left or loge-right"):
        ranges.read("Loge; 1; 1", twins)


@pytest.mark.parametrize("text", ["21", "#21", "Parkett; 3; 5", "Parkett, Row 3, seat 5"])
def test_one_seat_is_named_in_words_or_by_its_id(text):
    assert ranges.read_one(text, HALL) == 21


@pytest.mark.parametrize(("text", "said"), [("Parkett", "names 24 seats"), ("", "names 0 seats")])
def test_where_one_seat_is_meant_more_or_none_are_refused(text, said):
    with pytest.raises(Unclear, match=said):
        ranges.read_one(text, HALL)


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        (PARKETT, "Parkett, all 24 seats"),
        ([21], "Parkett, Row 3, seat 5"),
        ([1, 2, 3, 5, 9], "Parkett, Row 1, seats 1\u20133, 5; Parkett, Row 2, seat 1"),
        ([25, 26, 29], "Loge A-B, Table 4, seats a\u2013b; 101, Row C-1, seat 7"),
        ([31, 32, 33], "101, Row C-1, seats 1\u20133"),
        ([], ""),
    ],
)
def test_seats_are_named_as_a_fan_names_them_neighbours_together(seats, words):
    assert ranges.spell(seats, HALL) == words


def test_of_many_rows_only_some_are_named():
    large = hall_of(("Hall", {str(row): [1, 2] for row in range(1, 31)}))

    words = ranges.spell(range(1, 61, 2), large, most=2)

    assert words == "Hall, Row 1, seat 1; Hall, Row 2, seat 1; and seats of 28 more rows"
