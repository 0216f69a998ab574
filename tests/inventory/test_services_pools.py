import pytest

from inventory.errors import CapacityTooSmall
from inventory.models import AdmissionPool
from inventory.services import pools
from tests.factories import opened_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool():
    """A hundred places, of which eighty are taken."""
    event = opened_event(rows=0, pool_capacity=100)
    AdmissionPool.objects.filter(event=event).update(booked=75, held=5)
    return AdmissionPool.objects.get(event=event)


def test_a_pool_may_grow_and_shrink_down_to_what_is_taken(pool):
    for capacity in (120, 80):
        pools.resize(pool_id=pool.pk, capacity=capacity)

        pool.refresh_from_db()
        assert pool.capacity == capacity


def test_a_pool_is_never_smaller_than_what_is_taken(pool):
    with pytest.raises(CapacityTooSmall) as refusal:
        pools.resize(pool_id=pool.pk, capacity=70)

    assert refusal.value.taken == 80
    pool.refresh_from_db()
    assert pool.capacity == 100
