"""What happened to one seat: whose it is, since when, and every move it ever made."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from inventory.models import BlockChange, BlockVerb, EventSeat, Hold, HoldState, SeatMove, SeatState
from venues import naming


@dataclass(frozen=True, slots=True)
class Chapter:
    at: datetime
    was: str
    became: str
    # By which hold or block, and who of the house did it and why.
    how: str


@dataclass(frozen=True, slots=True)
class Story:
    name: str
    zone: str
    # Who has it now, in a sentence.
    now: str
    # When it came to be so; None if it never moved.
    since: datetime | None
    chapters: list[Chapter]


def of(seat_id: int, *, at: datetime) -> Story:
    """Everything that is known of the seat. Raises EventSeat.DoesNotExist."""
    seat = EventSeat.objects.select_related("section", "seat__row", "zone", "hold", "block").get(
        pk=seat_id
    )
    chapters = list(_chapters(seat_id))
    return Story(
        name=naming.place_name(seat.section.name, seat.seat.row.label, seat.seat.number),
        zone=seat.zone.name,
        now=_now(seat, at),
        since=chapters[-1].at if chapters else None,
        chapters=chapters,
    )


def _now(seat: EventSeat, at: datetime) -> str:
    match seat.state, seat.hold:
        case SeatState.HELD, Hold() as hold if hold.expires_at <= at:
            return f"free: {_hold(hold)} has lapsed, and is not tidied up yet"
        case SeatState.HELD, Hold() as hold:
            paying = ", and is being paid" if hold.payment_started_at else ""
            return f"held by {_hold(hold)}{paying}"
        case SeatState.BOOKED, Hold() as hold:
            return f"sold by {_hold(hold)}"
        case SeatState.BLOCKED, _:
            return f"blocked: {seat.block} (block {seat.block_id})"
        case _:
            return "free"


def _chapters(seat_id: int) -> Iterator[Chapter]:
    moves = list(SeatMove.objects.filter(seat_id=seat_id).order_by("pk"))
    holds = (
        Hold.objects.filter(pk__in={move.hold_id for move in moves})
        .select_related("staff_release__by")
        .in_bulk()
    )
    changes = list(
        BlockChange.objects.filter(Q(seat_ids__contains=[seat_id]))
        .exclude(verb=BlockVerb.EDITED)
        .select_related("by", "block")
        .order_by("pk")
    )
    for move in moves:
        how = []
        if move.hold_id:
            how.append(_of_hold(move, holds.get(move.hold_id)))
        if move.block_id:
            how.append(_of_block(move, changes))
        yield Chapter(move.at, move.was, move.became, "; ".join(how))


def _of_hold(move: SeatMove, hold: Hold | None) -> str:
    if hold is None:
        return f"hold {move.hold_id}, token {move.fencing_token}"
    said = _hold(hold)
    staff = getattr(hold, "staff_release", None)
    if move.was == SeatState.HELD and move.became not in {SeatState.HELD, SeatState.BOOKED}:
        said = f"{said}, {hold.get_state_display()}"
        if hold.state == HoldState.RELEASED and staff:
            said = f"{said} by {staff.who}: {staff.why}"
    return said


def _of_block(move: SeatMove, changes: list[BlockChange]) -> str:
    """The block, and who set or lifted it, unless a hold took the seat from it or gave it back."""
    verb = {
        (SeatState.AVAILABLE, SeatState.BLOCKED): BlockVerb.SET,
        (SeatState.BLOCKED, SeatState.AVAILABLE): BlockVerb.LIFTED,
    }.get((SeatState(move.was), SeatState(move.became)))
    for change in reversed(changes):
        # The clock is read before the seats move.
        if (change.block_id, change.verb) == (move.block_id, verb) and change.at <= move.at:
            return f"block {move.block_id} ({change.block}), {verb} by {change.who}: {change.why}"
    return f"block {move.block_id}"


def _hold(hold: Hold) -> str:
    return f"hold {hold.reference} of {hold.owner} (token {hold.fencing_token})"
