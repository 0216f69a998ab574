"""What every test may ask for; an app's own fixtures are in `tests/<app>/conftest.py`."""

import pytest

from events import terms
from inventory import gate
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


@pytest.fixture
def gate_on(settings):
    """Let fans pass the gate first, in a store without earlier claims."""
    settings.GATE = True
    forget_the_store()
    store = gate._store()
    for key in store.scan_iter("gate:*"):
        store.delete(key)
    yield
    forget_the_store()


def forget_the_store():
    """As a new process begins."""
    gate._store.cache_clear()
    gate._script.cache_clear()
    gate._sampled.clear()
    gate._asked_again_at = 0.0
