"""What every test may ask for; an app's own fixtures are in `tests/<app>/conftest.py`."""

import pytest

from events import terms
from inventory.models import EventSeat
from tests import factories
from tests.provider import listener, provider, provider_process

__all__ = ["listener", "provider", "provider_process"]


@pytest.fixture
def event(db):
    """Two rows of ten seats, on sale."""
    return factories.opened_event()


@pytest.fixture
def seats(event):
    """The pks of the event's seats, in the order of the hall."""
    ordered = EventSeat.objects.filter(event=event).order_by("seat__index")
    return list(ordered.values_list("pk", flat=True))


@pytest.fixture
def sale(event):
    return terms.of(event.pk)
