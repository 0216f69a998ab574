"""Seats blocked and given back from the command line."""

from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from events import terms
from inventory.models import Block, BlockChange, EventSeat, Hold, HoldRelease, HoldState, SeatState
from tests.inventory.asking import confirm, lapse, place, start_payment

pytestmark = pytest.mark.django_db


def block(event, *lines, **options):
    told = {"kind": "house", "reason": "for the band", "seats": list(lines)}
    call_command("block_seats", event.slug, **told | options)


def release(event, **options):
    call_command("release_seats", event.slug, **{"reason": "not needed"} | options)


def blocked():
    return EventSeat.objects.filter(state=SeatState.BLOCKED).count()


def test_seats_are_blocked_by_line_and_by_file(event, tmp_path, capsys):
    lines = tmp_path / "seats.txt"
    lines.write_text("Stalls; B\n")

    block(event, "Stalls; A; 1-3", "Stalls; A; 5", file=lines)

    made = Block.objects.get()
    assert (
        f"Block {made.pk} has 14 seats: Stalls, Row A, seats 1\u20133, 5" in capsys.readouterr().out
    )
    assert blocked() == 14
    assert BlockChange.objects.get().who.endswith(", by a command")


def test_an_event_is_named_by_its_id_too(event):
    call_command(
        "block_seats", str(event.pk), "--kind=kill", "--reason=broken", "--seats=Stalls; A; 1"
    )

    assert blocked() == 1


def test_a_dry_run_says_what_would_happen_and_changes_nothing(event, capsys):
    block(event, "Stalls; A; 1-3", dry_run=True)
    assert "This would block 3 seats: Stalls, Row A" in capsys.readouterr().out

    place(terms.of(event.pk), [EventSeat.objects.earliest("pk").pk])
    with pytest.raises(CommandError, match="1 seat is held until"):
        block(event, "Stalls; A; 1-3", dry_run=True)

    assert not Block.objects.exists()


def test_seats_that_are_not_free_are_named_with_what_to_do(event, seats):
    block(event, "Stalls; A; 1")
    place(terms.of(event.pk), seats[1:3])
    confirm(place(terms.of(event.pk), seats[3:4]))

    with pytest.raises(CommandError) as refusal:
        block(event, "Stalls; A; 1-5")

    said = str(refusal.value)
    assert "2 seats are held, the last until" in said
    assert "Stalls, Row A, seats 2\u20133. Leave them out, wait until then, or release" in said
    assert "1 seat is sold: Stalls, Row A, seat 4. Leave it out, or cancel its booking" in said
    assert "(house seats: for the band) already: Stalls, Row A, seat 1." in said
    assert blocked() == 1


@pytest.mark.parametrize(
    ("lines", "options", "said"),
    [
        (["Stalls; Z"], {}, "Row Z does not exist in Stalls: rows are A and B."),
        ([], {}, "No seat is named"),
        (["Stalls"], {"reason": " "}, "Give a reason"),
        (["Stalls"], {"reason": "x" * 201}, "of 200 characters at most"),
    ],
)
def test_what_cannot_be_understood_is_refused(event, lines, options, said):
    with pytest.raises(CommandError, match=said):
        block(event, *lines, **options)

    assert not Block.objects.exists()


@pytest.mark.parametrize("command", ["block_seats", "release_seats"])
def test_an_unknown_event_is_refused(db, command):
    told = {"reason": "x", "seats": ["Stalls"]} | ({"kind": "house"} if "block" in command else {})
    with pytest.raises(CommandError, match="There is no event “nowhere”"):
        call_command(command, "nowhere", **told)


def test_blocks_are_lifted_whole_or_in_part(event, capsys):
    block(event, "Stalls; A")
    made = Block.objects.get()

    release(event, seats=["Stalls; A; 1-2"])
    assert blocked() == 8
    release(event, block=[made.pk], dry_run=True)
    assert blocked() == 8
    release(event, block=[made.pk])

    assert blocked() == 0
    said = capsys.readouterr().out
    assert "On sale again: 2 seats: Stalls, Row A, seats 1\u20132" in said
    assert f"This would lift 8 seats of block {made.pk}." in said
    assert f"Block {made.pk}: 8 seats are on sale again." in said


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_is_in_no_block_is_named(event, dry_run):
    block(event, "Stalls; A")

    refused = r"1 seat is not blocked, or in another block: Stalls, Row B, seat 1\."
    with pytest.raises(CommandError, match=refused):
        release(event, seats=["Stalls; A", "Stalls; B; 1"], dry_run=dry_run)

    assert blocked() == 10


def test_a_hold_is_ended_and_it_says_who_and_why(event, seats, capsys):
    placed = place(terms.of(event.pk), seats[:2])

    release(event, hold=[placed.reference], dry_run=True)
    assert Hold.objects.get().state == HoldState.ACTIVE
    release(event, hold=[placed.reference])
    release(event, hold=[placed.reference])

    assert Hold.objects.get().state == HoldState.RELEASED
    record = HoldRelease.objects.get()
    assert (record.hold_id, record.why) == (placed.hold_id, "not needed")
    said = capsys.readouterr().out
    assert "This would end hold" in said
    assert "is released: its places are given back." in said
    assert "was over already." in said


def test_a_lapsed_hold_expires_as_it_would_have_so_that_late_money_may_still_find_its_seats(
    event, seats
):
    placed = place(terms.of(event.pk), seats[:2])
    lapse(placed)

    release(event, hold=[placed.reference])

    assert Hold.objects.get().state == HoldState.EXPIRED
    assert not HoldRelease.objects.exists()


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_hold_whose_payment_has_begun_stays_unless_told_otherwise(event, seats, dry_run):
    placed = place(terms.of(event.pk), seats[:2])
    start_payment(placed, terms.of(event.pk))

    with pytest.raises(CommandError, match="payment has begun"):
        release(event, hold=[placed.reference], dry_run=dry_run)
    assert Hold.objects.get().state == HoldState.ACTIVE

    release(event, hold=[placed.reference], even_if_paying=True)
    assert Hold.objects.get().state == HoldState.RELEASED


def test_one_meaning_at_a_time(event):
    for options in [{}, {"block": [1], "seats": ["Stalls"]}]:
        with pytest.raises(CommandError, match="Say one of"):
            release(event, **options)


def test_blocks_and_holds_of_other_events_are_not_found(event):
    with pytest.raises(CommandError, match="has no block 999"):
        release(event, block=[999])
    with pytest.raises(CommandError, match="has no hold"):
        release(event, hold=[uuid4()])
