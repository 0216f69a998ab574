"""Who of the house does something with places: written down with the reason, and never changed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """An account of staff, or the name of whoever runs a command."""

    user_id: int | None = None
    name: str = ""

    @property
    def fields(self) -> dict[str, object]:
        return {"by_id": self.user_id, "by_name": self.name}


# For what the house does without being asked, such as loading a demo.
ITSELF = Actor(name="Ticketing itself")
