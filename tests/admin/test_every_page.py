import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bookings.services import checkout
from events import terms
from inventory import selectors as inventory
from inventory.models import EventSeat
from tests.factories import SeriesFactory, UserFactory, opened_event
from tests.inventory.asking import place

pytestmark = pytest.mark.django_db
OURS = {"venues", "events", "inventory", "bookings", "payments", "kernel", "accounts"}
PAGES = [model for model in admin.site._registry if model._meta.app_label in OURS]


def names(model):
    return model._meta.label_lower


@pytest.fixture
def boss(client):
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    return client


def sell(number):
    """As many events with a booking, made by the same services as any."""
    for _ in range(number):
        event = opened_event(
            rows=1, seats_per_row=3, pool_capacity=4, series=SeriesFactory.create()
        )
        rules = terms.of(event.pk)
        seat = EventSeat.objects.filter(event=event).earliest("pk")
        placed = place(rules, [seat.pk])
        hold = inventory.hold_by_id(placed.hold_id)
        checkout.start(hold=hold, name="Ada", email="ada@example.org", terms=rules)


def list_of(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def page_of(row):
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def queries(client, address):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(address).status_code == 200
    return len(asked)


@pytest.mark.parametrize("model", PAGES, ids=names)
def test_a_list_can_be_searched_and_costs_the_same_however_long_it_is(boss, model):
    sell(1)
    assert boss.get(list_of(model), {"q": "something"}).status_code == 200
    before = queries(boss, list_of(model))

    sell(3)

    assert queries(boss, list_of(model)) <= before + 2


@pytest.mark.parametrize("model", PAGES, ids=names)
def test_a_row_has_a_page(boss, model):
    sell(1)
    row = model._default_manager.order_by("pk").last()
    if row is not None:
        assert boss.get(page_of(row)).status_code == 200


def test_every_model_of_ours_has_pages():
    from django.apps import apps

    models = {model for label in OURS for model in apps.get_app_config(label).get_models()}

    assert models - set(admin.site._registry) == set()
