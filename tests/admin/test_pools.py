"""A pool's page: its capacity, and the caps of its fares."""

import pytest
from django.urls import reverse

from events import terms
from inventory.models import AdmissionPool, FareCap
from tests import factories
from tests.admin.test_events import filled
from tests.inventory.asking import confirm, place

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(event):
    return AdmissionPool.objects.get(event=event)


@pytest.fixture
def child(event):
    return event.fares.get(name="Child").pk


@pytest.fixture
def sold(event, pool, child):
    """Two places for children are booked, and one is held."""
    sale = terms.of(event.pk)
    confirm(place(sale, pools=[(pool.pk, 2)], fare=child))
    return place(sale, pools=[(pool.pk, 1)], fare=child)


@pytest.fixture
def save(desk, pool):
    address = reverse("admin:inventory_admissionpool_change", args=[pool.pk])

    def act(**changes):
        return desk.post(address, filled(desk.get(address)) | changes)

    return act


@pytest.fixture
def cap(save, child):
    """Fill the form's one new row."""

    def act(capacity):
        return save(
            **{"caps-TOTAL_FORMS": "1", "caps-0-fare": child, "caps-0-capacity": str(capacity)}
        )

    return act


def test_capacity_below_what_is_taken_is_refused_with_the_number(save, pool):
    AdmissionPool.objects.filter(pk=pool.pk).update(booked=8)

    refused = save(capacity="7")
    taken = save(capacity="8")

    assert "8 places are held or booked" in refused.content.decode()
    assert taken.status_code == 302
    pool.refresh_from_db()
    assert (pool.capacity, pool.booked) == (8, 8)


def test_a_cap_counts_what_is_taken_at_its_fare(cap, sold):
    assert cap(5).status_code == 302

    made = FareCap.objects.get()
    assert (made.capacity, made.held, made.booked) == (5, 1, 2)


def test_a_cap_below_what_is_taken_is_refused_with_the_number(cap, sold):
    assert "3 places are held or booked at this fare" in cap(2).content.decode()

    assert not FareCap.objects.exists()


def test_a_cap_is_changed_and_taken_away(cap, save, sold):
    cap(5)

    assert save(**{"caps-0-capacity": "3"}).status_code == 302
    assert FareCap.objects.get().capacity == 3
    save(**{"caps-0-DELETE": "on"})

    assert not FareCap.objects.exists()


def test_only_fares_of_its_event_may_be_capped(save):
    other = factories.opened_event(rows=0, pool_capacity=5).fares.latest("pk")

    refused = save(**{"caps-TOTAL_FORMS": "1", "caps-0-fare": other.pk, "caps-0-capacity": "1"})

    assert refused.status_code == 200
    assert not FareCap.objects.exists()
