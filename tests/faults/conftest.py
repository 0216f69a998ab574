import pytest

from inventory import gate
from tests import box_office
from tests.conftest import forget_the_store
from tests.faults.shop import Shop
from tests.faults.wire import PostgresWire, ValkeyWire


@pytest.fixture(scope="package")
def shop(django_db_setup, django_db_blocker, provider_process, tmp_path_factory):
    """Its web process runs; whoever kills it starts another one."""
    var = tmp_path_factory.mktemp("shop")
    with django_db_blocker.unblock(), box_office.running(var, provider_process) as office:
        there = office.environment
        with (
            PostgresWire(there["DATABASE_URL"]) as postgres,
            ValkeyWire(there["VALKEY_URL"]) as valkey,
        ):
            shop = Shop(office, postgres, valkey)
            shop.start()
            yield shop


@pytest.fixture
def store(settings, shop):
    """The gate's store as the web process knows it, its scripts loaded as on any busy day."""
    settings.GATE = True
    settings.VALKEY_URL = shop.office.environment["VALKEY_URL"].replace("valkey", "redis", 1)
    forget_the_store()
    store = gate._store()
    # Events of earlier tests had the same numbers.
    for key in store.scan_iter("gate:*"):
        store.delete(key)
    for script in gate.SCRIPTS.glob("*.lua"):
        store.script_load(script.read_text())
    yield store
    forget_the_store()
