"""Organizers keep seats from sale, after a look at what that would do, and lift them again."""

import pytest
from django.urls import reverse

from events import terms
from inventory.models import Block, BlockChange, EventSeat, SeatState
from tests.factories import opened_event
from tests.inventory.asking import confirm, place
from tests.reading import said

pytestmark = pytest.mark.django_db


@pytest.fixture
def seats(event):
    return list(EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True))


def page_of(event):
    return reverse("admin:inventory_block_seats", args=[event.pk])


def wanted(lines, press, **more):
    return {"seats": lines, "kind": "house", "reason": "for the band", press: "1"} | more


def blocked():
    return EventSeat.objects.filter(state=SeatState.BLOCKED).count()


def block(desk, event, lines):
    desk.post(page_of(event), wanted(lines, "block"))
    return Block.objects.latest("pk")


def test_a_look_says_what_would_be_blocked_and_blocks_nothing(desk, event):
    page = desk.post(page_of(event), wanted("Stalls; A; 1-3", "look"))

    assert "This keeps 3 seats: Stalls, Row A, seats 1\u20133 from sale" in said(page)
    assert blocked() == 0


def test_seats_are_blocked_with_who_and_why(desk, organizer, event):
    page = desk.post(page_of(event), wanted("Stalls; A; 1-3", "block"), follow=True)

    assert "Kept from sale: 3 seats" in said(page)
    assert "for the band" in said(page)
    assert blocked() == 3
    assert BlockChange.objects.get().by == organizer


@pytest.mark.parametrize("press", ["look", "block"])
def test_what_is_sold_or_held_is_named_and_nothing_is_blocked(desk, event, seats, press):
    sale = terms.of(event.pk)
    place(sale, seats[:1], owner="a")
    confirm(place(sale, seats[1:2], owner="b"))

    answer = desk.post(page_of(event), wanted("Stalls; A", press))

    page = said(answer)
    assert "1 seat is held until" in page
    assert "1 seat is sold: Stalls, Row A, seat 2" in page
    assert blocked() == 0
    # What was written stands there to be mended.
    assert 'value="for the band"' in answer.content.decode()


def test_unclear_seats_are_said_to_be_line_by_line(desk, event):
    page = said(desk.post(page_of(event), wanted("Stalls; A; 1\nBalcony", "block")))

    assert "Line 2, “Balcony”" in page
    assert blocked() == 0


def test_a_block_is_lifted_in_part_and_then_whole(desk, event):
    made = block(desk, event, "Stalls; A; 1-3")
    lift = {"lift": str(made.pk), "why": "no guests"}

    desk.post(page_of(event), lift | {"seats": "Stalls; A; 2"})
    assert blocked() == 2

    page = desk.post(page_of(event), lift | {"seats": ""}, follow=True)
    assert "On sale again: 2 seats" in said(page)
    assert blocked() == 0
    assert [change.verb for change in BlockChange.objects.order_by("pk")] == [
        *("set", "lifted", "lifted")
    ]


def test_a_block_is_not_lifted_without_a_reason_or_where_it_has_no_seats(desk, event):
    made = block(desk, event, "Stalls; A; 1-3")
    other = block(desk, event, "Stalls; B; 1")

    desk.post(page_of(event), {"lift": str(made.pk), "seats": "", "why": " "})
    for line in ["Stalls; A; 9", "Stalls; B; 1"]:
        page = desk.post(page_of(event), {"lift": str(made.pk), "seats": line, "why": "no guests"})
        assert "or in another block" in said(page)

    assert blocked() == 4
    assert other.seats.count() == 1


def test_a_blocks_reason_is_corrected_and_that_is_written_down(desk, event):
    made = block(desk, event, "Stalls; A; 1")
    address = reverse("admin:inventory_block_change", args=[made.pk])

    desk.post(address, {"kind": "kill", "reason": "broken"})

    made.refresh_from_db()
    assert (made.kind, made.reason) == ("kill", "broken")
    assert "became" in BlockChange.objects.latest("pk").why


def test_nobody_makes_a_block_the_waitlists_by_hand(desk, event):
    made = block(desk, event, "Stalls; A; 1")

    address = reverse("admin:inventory_block_change", args=[made.pk])
    desk.post(address, {"kind": "waitlist", "reason": "first come"})

    made.refresh_from_db()
    assert made.kind == "house"


def test_the_events_page_leads_there(desk, event):
    assert (
        page_of(event)
        in desk.get(reverse("admin:events_event_change", args=[event.pk])).content.decode()
    )


def test_nobody_blocks_the_seats_of_another_organizer(desk):
    stranger = opened_event()

    desk.post(page_of(stranger), wanted("Stalls; A; 1", "block"))

    assert blocked() == 0


def test_who_may_not_block_blocks_nothing(client, organizer, event):
    organizer.groups.clear()
    client.force_login(organizer)

    client.post(page_of(event), wanted("Stalls; A; 1", "block"))

    assert blocked() == 0
