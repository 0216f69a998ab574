"""Who holds a seat, since when, and its whole story."""

import pytest
from django.core.management import CommandError, call_command

from inventory.models import BlockKind, EventSeat, Hold, HoldState
from inventory.services import blocks, holds, releasing
from tests.inventory.asking import confirm, lapse, place
from ticketing.kernel.acting import Actor

pytestmark = pytest.mark.django_db
OLU = Actor(name="Olu Ade")


def show(capsys, event, seat):
    call_command("show_seat", event.slug, seat)
    return capsys.readouterr().out


def test_a_seat_that_nobody_ever_wanted(event, capsys):
    told = show(capsys, event, "Stalls; A; 3")

    assert "Stalls, Row A, seat 3" in told
    assert "Now free." in told
    assert "Nobody has ever" in told


def test_the_whole_story_of_a_seat(event, sale, seats, capsys):
    seat = seats[0]
    made = blocks.block(
        event_id=event.pk, seat_ids=[seat], kind=BlockKind.HOUSE, reason="for the band", by=OLU
    )
    blocks.lift_block(block_id=made, why="the band has no guests", by=OLU)
    first = place(sale, [seat], owner="ann")
    lapse(first)
    holds.expire_all(batch=10)
    second = place(sale, [seat], owner="ben")
    reference = Hold.objects.get(pk=second.hold_id).reference
    releasing.release(reference=reference, why="asked for by phone", by=OLU)
    third = place(sale, [seat], owner="cyd")
    confirm(third)

    told = show(capsys, event, f"#{seat}")

    lines = [" ".join(line.split()) for line in told.splitlines()[2:]]
    moves = [line.split(maxsplit=3)[3] for line in lines]
    of = {placed.hold_id: Hold.objects.get(pk=placed.hold_id) for placed in (first, second, third)}
    ann, ben, cyd = (
        f"hold {hold.reference} of {hold.owner} (token {hold.fencing_token})"
        for hold in of.values()
    )
    house = f"block {made} (house seats: for the band)"
    assert moves == [
        f"available → blocked {house}, set by Olu Ade: for the band",
        f"blocked → available {house}, lifted by Olu Ade: the band has no guests",
        f"available → held {ann}",
        f"held → available {ann}, expired",
        f"available → held {ben}",
        f"held → available {ben}, released by Olu Ade: asked for by phone",
        f"available → held {cyd}",
        f"held → booked {cyd}",
    ]
    assert f"Now sold by {cyd}, since {lines[-1][:10]}" in told


def test_a_lapsed_hold_leaves_its_seat_free(event, sale, seats, capsys):
    placed = place(sale, seats[:1], owner="ann")
    lapse(placed)

    told = show(capsys, event, str(seats[0]))

    assert "Now free: hold" in told
    assert "has lapsed, and is not tidied up yet" in told
    assert Hold.objects.get(pk=placed.hold_id).state == HoldState.ACTIVE


def test_a_seat_that_does_not_exist_is_said_so(event):
    with pytest.raises(CommandError, match="seats are 1 to 10"):
        call_command("show_seat", event.slug, "Stalls; A; 99")
    with pytest.raises(CommandError, match="no event"):
        call_command("show_seat", "nowhere", "Stalls; A; 1")
    assert EventSeat.objects.count() > 0
