"""Why the programme said no."""


class WrongState(Exception):
    """The event cannot make this move from the state it is in."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the event is {state}")
        self.state = state


class NotAPresale(Exception):
    """Codes belong to presales: the public needs none."""


class UnfitCode(Exception):
    """A chosen code that is too easy to guess, or that this presale has already."""


class CodeRefused(Exception):
    """The code opens no presale here now: whether it is wrong, over or early is not told."""
