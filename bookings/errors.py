"""Why a booking could not go on."""

from inventory.errors import LimitReached


class AddressLimitReached(LimitReached):
    """The person behind this e-mail address would have more places than one person may."""


class CalledOff(Exception):
    """The event was postponed or cancelled: nothing is paid for it."""


class BookingLapsed(Exception):
    """The booking came to nothing; its places are on sale again or somebody else's."""


class MailInOtherHands(Exception):
    """Another worker claimed this mail a moment ago, and has not said yet that it is sent."""


class NotCancellable(Exception):
    """The booking is not sold, or these are not lines of it that can still be cancelled."""


class CancelledTooLate(NotCancellable):
    """The fan may not cancel by himself, or not any more."""


class AnotherRefund(Exception):
    """What goes back is not what was shown meanwhile: show it again."""
