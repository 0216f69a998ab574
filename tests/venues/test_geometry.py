from math import cos, pi, sin

import pytest

from venues import geometry


def arc(radius, count=12, half=0.6):
    angles = [half * (2 * n / (count - 1) - 1) for n in range(count)]
    return [(radius * sin(a), radius * cos(a)) for a in angles]


def test_the_outline_of_curved_rows_follows_the_curve():
    rows = [arc(radius) for radius in (300, 330, 360)]

    around = geometry.outline(rows, 20)

    assert all(geometry.contains(around, point) for row in rows for point in row)
    # The room before the first row, which a convex outline would take.
    assert geometry.contains(geometry.hull([point for row in rows for point in row]), (0, 260))
    assert not geometry.contains(around, (0, 260))


@pytest.mark.parametrize(
    "rows",
    [[[(5, 5)]], [[(0, 0), (30, 0)]], [[(0, 0), (0, 30), (0, 60)]], [[(0, 0), (9, 9)], [(9, 0)]]],
)
def test_however_few_seats_there_are_they_are_inside(rows):
    around = geometry.outline(rows, 10)

    assert len(around) > 3
    assert all(geometry.contains(around, point) for row in rows for point in row)


def test_the_roomiest_place_of_a_ring_is_in_the_ring():
    outer = [
        (100 * sin(a), 100 * cos(a)) for a in (0.2 + n * (2 * pi - 0.4) / 40 for n in range(41))
    ]
    inner = [(x / 2, y / 2) for x, y in reversed(outer)]

    place = geometry.roomiest([*outer, *inner])

    assert geometry.contains([*outer, *inner], place)


def test_a_word_has_the_most_room_where_a_ring_is_wide():
    angles = [0.2 + n * (2 * pi - 0.4) / 40 for n in range(41)]
    outer = [(100 * sin(a), 100 * cos(a)) for a in angles]
    inner = [(x / 2, y / 2) for x, y in reversed(outer)]

    x, y = geometry.roomiest([*outer, *inner])

    assert abs(x) < 20
    assert y < 0


def test_seats_of_a_ring_keep_the_order_of_the_file():
    ring = [(100 * cos(2 * pi * n / 12), 100 * sin(2 * pi * n / 12)) for n in range(12)]

    order = geometry.in_line(ring)

    assert order in (list(range(12)), list(range(11, -1, -1)))
