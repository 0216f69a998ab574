"""Which seats somebody needs: asked of floors above, which say so at start-up.

A new version of a map may not lose a seat that is held or sold, and only inventory knows which
are.
"""

from collections.abc import Callable, Collection

NeededGuids = Callable[[int, str], Collection[str]]
_providers: list[NeededGuids] = []


def provide(function: NeededGuids) -> None:
    """Hand in a function of the venue's id and the map's name."""
    _providers.append(function)


def needed_guids(venue_id: int, map_name: str) -> frozenset[str]:
    """The guids of seats that a new version of this map must still have."""
    return frozenset(guid for ask in _providers for guid in ask(venue_id, map_name))
