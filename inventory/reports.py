"""What staff read of seats that they block or lift: how many, which, how they stand, what to do."""

from collections.abc import Collection

from django.utils.translation import ngettext

from inventory import ranges
from inventory.models import Block
from inventory.ranges import Hall
from inventory.standing import Standing
from ticketing.kernel import times


def in_the_way(found: Standing, hall: Hall, zone: str) -> list[str]:
    """Why these seats cannot be blocked, each seat named, and what to do; empty if they can."""
    said = []
    if found.held:
        until = times.clock(max(found.held.values()), zone)
        said.append(
            ngettext(
                "%(n)d seat is held until %(time)s: %(seats)s. Leave it out, wait until then, or"
                " release the hold.",
                "%(n)d seats are held, the last until %(time)s: %(seats)s. Leave them out, wait"
                " until then, or release the holds.",
                len(found.held),
            )
            % {"n": len(found.held), "time": until, "seats": ranges.spell(found.held, hall)}
        )
    if found.booked:
        said.append(
            ngettext(
                "%(n)d seat is sold: %(seats)s. Leave it out, or cancel its booking first.",
                "%(n)d seats are sold: %(seats)s. Leave them out, or cancel their bookings first.",
                len(found.booked),
            )
            % {"n": len(found.booked), "seats": ranges.spell(found.booked, hall)}
        )
    said += _in_blocks(found, hall)
    if found.unknown:
        said.append(
            ngettext(
                "%(n)d seat is not of this event.",
                "%(n)d seats are not of this event.",
                len(found.unknown),
            )
            % {"n": len(found.unknown)}
        )
    return said


def counted(seat_ids: Collection[int], hall: Hall) -> str:
    """How many seats, and which."""
    number = ngettext("%(n)d seat", "%(n)d seats", len(seat_ids)) % {"n": len(seat_ids)}
    return f"{number}: {ranges.spell(seat_ids, hall)}" if seat_ids else number


def not_blocked(seat_ids: Collection[int], hall: Hall) -> str:
    return ngettext(
        "%(n)d seat is not blocked, or in another block: %(seats)s. Leave it out.",
        "%(n)d seats are not blocked, or in another block: %(seats)s. Leave them out.",
        len(seat_ids),
    ) % {"n": len(seat_ids), "seats": ranges.spell(seat_ids, hall)}


def _in_blocks(found: Standing, hall: Hall) -> list[str]:
    blocks = Block.objects.in_bulk(set(found.blocked.values()))
    said = []
    for block_id, block in sorted(blocks.items()):
        seats = [seat for seat, its in found.blocked.items() if its == block_id]
        said.append(
            ngettext(
                "%(n)d seat is in block %(id)d (%(block)s) already: %(seats)s. Leave it out, or"
                " lift it there first.",
                "%(n)d seats are in block %(id)d (%(block)s) already: %(seats)s. Leave them out,"
                " or lift them there first.",
                len(seats),
            )
            % {
                "n": len(seats),
                "id": block_id,
                "block": block,
                "seats": ranges.spell(seats, hall),
            }
        )
    return said
