import pytest

from tests.factories import OrganizerFactory, UserFactory, opened_event
from ticketing.ops import roles


@pytest.fixture
def organizer(db):
    """Somebody who works for one organizer."""
    roles.ensure()
    user = UserFactory.create(is_staff=True)
    user.groups.add(roles.group(roles.ORGANIZERS))
    user.organizers.add(OrganizerFactory.create())
    return user


@pytest.fixture
def staff(db):
    """Somebody of the box office."""
    roles.ensure()
    user = UserFactory.create(is_staff=True)
    user.groups.add(roles.group(roles.BOX_OFFICE))
    return user


@pytest.fixture
def desk(client, organizer):
    """The organizer's browser."""
    client.force_login(organizer)
    return client


@pytest.fixture
def event(organizer):
    """An event of the organizer's, on sale."""
    return opened_event(organizer=organizer.organizers.get(), pool_capacity=20)
