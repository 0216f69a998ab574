"""Why a booking could not go on."""


class BookingLapsed(Exception):
    """The booking came to nothing; its places are on sale again or somebody else's."""


class MailInOtherHands(Exception):
    """Another worker claimed this mail a moment ago, and has not said yet that it is sent."""
