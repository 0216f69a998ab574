"""Why the programme said no."""


class WrongState(Exception):
    """The event cannot make this move from the state it is in."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the event is {state}")
        self.state = state
