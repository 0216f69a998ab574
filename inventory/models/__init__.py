from inventory.models.acts import BlockChange, BlockVerb, HoldRelease
from inventory.models.blocks import BY_HAND, Block, BlockKind
from inventory.models.holds import Hold, HoldLine, HoldState
from inventory.models.pools import AdmissionPool, FareCap
from inventory.models.seats import EventSeat, SeatMove, SeatState

__all__ = [
    "BY_HAND",
    "AdmissionPool",
    "Block",
    "BlockChange",
    "BlockKind",
    "BlockVerb",
    "EventSeat",
    "FareCap",
    "Hold",
    "HoldLine",
    "HoldRelease",
    "HoldState",
    "SeatMove",
    "SeatState",
]
