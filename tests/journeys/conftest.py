import pytest

from tests import box_office


@pytest.fixture
def office(transactional_db, tmp_path, provider):
    """A box office with no process running yet: the test starts what it needs."""
    with box_office.running(tmp_path, provider) as office:
        yield office


@pytest.fixture
def running(office):
    """The same with web, worker and ticker running."""
    for name in ["web", "worker", "ticker"]:
        office.start(name)
    return office
