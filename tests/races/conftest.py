import pytest

from tests.races.rivals import Processes


@pytest.fixture(scope="package")
def processes(django_db_setup):
    """Rivals in processes of their own; they are gone before the database is."""
    rivals = Processes()
    yield rivals
    rivals.stop()
