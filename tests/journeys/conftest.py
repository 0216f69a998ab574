import pytest

from tests import box_office
from tests.provider import provider, provider_process  # noqa: F401


@pytest.fixture
def office(transactional_db, tmp_path, provider):  # noqa: F811
    """A box office with no process running yet: the test starts what it needs."""
    with box_office.running(tmp_path, provider) as office:
        yield office
