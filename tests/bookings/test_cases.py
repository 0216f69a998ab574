"""What went wrong in other people's sales, by its number there, where no other test has it."""

import pytest

from events import terms
from events.models import Event, Fare
from inventory.errors import HoldLost, PlacesTaken
from inventory.models import AdmissionPool, EventSeat, Hold, HoldState
from inventory.services import holds
from payments.models import Payment
from tests import factories
from tests.bookings.asking import BUYER, ask
from tests.bookings.conftest import hold_of
from tests.inventory.asking import confirm, lapse, place
from tests.reading import said
from ticketing.kernel import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


@pytest.fixture
def floor():
    """Ten places without seats."""
    event = factories.opened_event(rows=0, pool_capacity=10, limit_per_fan=20)
    return event, AdmissionPool.objects.get(event=event)


def test_a04_lines_are_summed_before_they_are_counted(client, floor):
    event, pool = floor
    fares = Fare.objects.filter(event=event)
    form = {f"quantity_{fare.pk}": 6 for fare in fares} | {"pool": pool.pk}

    answer = client.post(f"/events/{event.slug}/hold/", form)

    pool.refresh_from_db()
    assert answer.status_code == 409
    assert (pool.held, Hold.objects.count()) == (0, 0)


def test_a05_a_lapsed_hold_is_free_without_any_sweep_and_staff_see_it(admin_client, floor):
    event, pool = floor
    sale = terms.of(event.pk)
    lapse(place(sale, pools=[(pool.pk, 10)], owner="a"))

    place(sale, pools=[(pool.pk, 10)], owner="b")

    assert list(audit.run()) == []
    assert "expired" in admin_client.get("/admin/inventory/hold/").content.decode()


def test_a07_a_new_hold_inherits_nothing_of_the_old(sale, seats):
    old = place(sale, seats[:2], owner="a")
    lapse(old)

    new = place(sale, seats[:2], owner="a")

    found = hold_of(new)
    assert (found.id, found.fencing_token) > (old.hold_id, old.fencing_token)
    assert found.expires_at - found.created_at == sale.lease
    with pytest.raises(HoldLost):
        confirm(new, token=old.fencing_token)
    confirm(new)


def test_a08_after_lapsed_holds_all_is_shown_as_free_and_sold(client, floor):
    event, pool = floor
    for number in range(10):
        lapse(place(terms.of(event.pk), pools=[(pool.pk, 1)], owner=f"fan {number}"))

    assert "10 free" in said(client.get(f"/events/{event.slug}/"))
    place(terms.of(event.pk), pools=[(pool.pk, 10)], owner="b")


def test_a10_the_seat_is_guarded_and_not_the_user(sale, seats):
    """And the loser hears which seat it was; `tests/races` has the same moment."""
    won = place(sale, seats[:1], owner="a")

    with pytest.raises(PlacesTaken) as refusal:
        place(sale, seats[:1], owner="b")

    assert refusal.value.seat_ids == {seats[0]}
    assert EventSeat.objects.get(pk=seats[0]).fencing_token == won.fencing_token


def test_a16_without_any_worker_the_second_is_refused_before_he_is_charged(client, event, seats):
    place(terms.of(event.pk), seats[:1], owner="another")

    answer = ask(client, event, seats[:1])

    assert "taken=" in answer["Location"]
    assert not Payment.objects.exists()


def test_a17_what_is_left_is_said_and_never_less_than_nothing(client, floor):
    event, pool = floor
    place(terms.of(event.pk), pools=[(pool.pk, 8)], owner="another")
    fare = Fare.objects.filter(event=event).earliest("rank")

    page = client.post(f"/events/{event.slug}/hold/", {"pool": pool.pk, f"quantity_{fare.pk}": 4})

    assert page.status_code == 409
    assert "2 left" in said(page)
    AdmissionPool.objects.update(capacity=8)
    assert "nothing free just now" in said(client.get(f"/events/{event.slug}/"))


@pytest.mark.parametrize("state", ["cancelled", "postponed"])
def test_a20_nothing_is_paid_for_an_event_that_was_called_off(client, event, held, state):
    Event.objects.filter(pk=event.pk).update(state=state)

    answer = client.post(held + "checkout/", BUYER, follow=True)

    assert "called off" in said(answer)
    assert not Payment.objects.exists()
    assert Hold.objects.get().state == HoldState.ACTIVE


def test_a20_a_hold_that_staff_ended_is_not_paid_for(client, held):
    """A price that was withdrawn stays promised to who holds it; staff can end the hold."""
    hold = Hold.objects.get()
    holds.release(reference=hold.reference, owner=hold.owner)

    answer = client.post(held + "checkout/", BUYER, follow=True)

    assert "went back on sale" in said(answer)
    assert not Payment.objects.exists()
