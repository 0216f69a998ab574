from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from events.models import Event, EventState
from inventory.models import AdmissionPool, EventSeat
from ticketing.accounts.models import User
from ticketing.kernel import audit
from venues.models import SeatMap, SeatMapState

pytestmark = pytest.mark.django_db


def load():
    out = StringIO()
    call_command("load_demo", stdout=out)
    return out.getvalue()


def test_the_demo_is_a_season_of_halls_states_and_currencies_and_loading_again_changes_nothing():
    assert "The demo is loaded" in load()

    assert set(SeatMap.objects.values_list("state", flat=True)) == {SeatMapState.PUBLISHED}
    assert EventSeat.objects.filter(event__slug="demo-arena").count() > 5000
    assert set(Event.objects.values_list("currency", flat=True)) == {"EUR", "GBP", "JPY"}
    assert {EventState.PUBLISHED, EventState.POSTPONED, EventState.CANCELLED} == set(
        Event.objects.values_list("state", flat=True)
    )
    full = AdmissionPool.objects.get(event__slug="open-jam")
    assert (full.booked, full.capacity) == (24, 24)
    picnic = AdmissionPool.objects.get(event__slug="tin-whale-picnic")
    assert picnic.caps.get().capacity < picnic.capacity
    assert Event.objects.filter(slug="tin-whale-picnic", fares__places=4).exists()
    assert list(audit.run()) == []

    before = EventSeat.objects.count(), Event.objects.count(), User.objects.count()
    assert "nothing changed" in load()
    assert (EventSeat.objects.count(), Event.objects.count(), User.objects.count()) == before


def test_the_demos_people_may_enter_and_see_what_their_role_says(client):
    load()

    organizer = User.objects.get(email="organizer@example.org")
    staff = User.objects.get(email="staff@example.org")
    assert client.login(username="organizer@example.org", password="demo")
    assert organizer.has_perm("events.change_event")
    assert not organizer.has_perm("events.see_every_organizer")
    assert staff.has_perm("events.see_every_organizer")
    assert User.objects.get(email="admin@example.org").is_superuser


def test_it_is_refused_where_real_tickets_are_sold(settings):
    settings.DEMO = False

    with pytest.raises(CommandError, match="real box office"):
        load()

    assert not User.objects.exists()
