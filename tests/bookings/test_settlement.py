"""What an event brought in, whatever became of its bookings and their money."""

import csv
import io

import pytest
from django.core.management import call_command
from django.utils import timezone

from bookings import settlement
from bookings.models import Booking, BookingState
from bookings.services import paying
from payments.models import MovementKind, Payment
from payments.services import charges
from tests import factories
from tests.bookings.conftest import hold_of, pay, session_of, start, tell_all
from tests.inventory.asking import lapse, place
from ticketing.kernel import audit
from ticketing.kernel.money import Money
from ticketing.ops import roles

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def eur(minor):
    return Money(minor, "EUR")


def payment_of(booking):
    return Payment.objects.get(reference=booking.payment_reference)


@pytest.fixture
def sell(provider_here, sale, seats):
    """Sell the seat of this number, to the end unless told otherwise."""

    def sell(number, *, captured=True):
        booking = start(hold_of(place(sale, [seats[number]])), sale)
        pay(booking)
        provider_here.pay(session_of(booking))
        paying.refresh(booking=booking)
        if captured:
            tell_all()
        booking.refresh_from_db()
        assert booking.state == BookingState.CONFIRMED
        return booking

    return sell


@pytest.fixture
def give_back(provider_here):
    """Staff give money back in the provider's dashboard."""

    def give_back(booking, minor=None):
        wish = {"payment_intent": payment_of(booking).provider_intent}
        provider_here.client().v1.refunds.create(wish | ({"amount": minor} if minor else {}))
        charges.refresh(reference=booking.payment_reference)

    return give_back


@pytest.fixture
def settled(event):
    def settled():
        return settlement.of_event(event.pk, at=timezone.now())

    return settled


FEE = 5000 * 15 // 1000 + 25


def test_refunds_and_what_was_never_paid_leave_what_was_earned(
    sell, give_back, settled, sale, seats
):
    sold = [sell(number) for number in range(3)]
    give_back(sold[0])
    abandoned = start(hold_of(place(sale, [seats[5]])), sale)
    lapse(abandoned)
    paying.sweep(limit=10)

    [sums] = settled().sums

    assert (sums.sold, sums.gross, sums.refunded, sums.open, sums.late) == (
        eur(15000),
        eur(15000),
        eur(5000),
        eur(0),
        eur(0),
    )
    assert sums.fees == eur(3 * FEE)
    assert sums.net == eur(10000 - 3 * FEE)
    assert settled().unexplained == []


def test_a_part_that_went_back_leaves_the_rest(sell, give_back, settled):
    give_back(sell(0), 1500)

    [sums] = settled().sums

    assert (sums.gross, sums.refunded, sums.net) == (eur(5000), eur(1500), eur(3500 - FEE))


def test_what_is_reserved_and_not_taken_is_open(sell, settled):
    sell(0, captured=False)

    [sums] = settled().sums

    assert (sums.sold, sums.gross, sums.open, sums.net) == (eur(5000), eur(0), eur(5000), eur(0))


def test_money_that_came_too_late_is_told_apart(provider_here, sell, settled, sale, seats):
    late = start(hold_of(place(sale, [seats[0]])), sale)
    pay(late)
    lapse(late)
    sell(0)
    provider_here.pay(session_of(late), capture_at_once=True)

    paying.refresh(booking=late)
    tell_all()

    [sums] = settled().sums
    assert (sums.sold, sums.gross) == (eur(5000), eur(5000))
    assert (sums.late, sums.refunded) == (eur(5000), eur(5000))
    assert settled().unexplained == []
    assert list(audit.run()) == []


def test_disputed_money_is_not_earned(provider_here, sell, settled):
    booking = sell(0)
    provider_here.control("dispute", id=payment_of(booking).provider_intent)
    charges.refresh(reference=booking.payment_reference)

    [sums] = settled().sums

    assert (sums.gross, sums.disputed) == (eur(5000), eur(5000))
    assert sums.net == eur(0) - sums.fees


def test_two_currencies_are_never_added_up(sell, settled):
    booking = sell(0)
    factories.movement(
        payment_of(booking), MovementKind.FEE, -70, currency="USD", provider_id="txn_usd"
    )

    in_euros, in_dollars = settled().sums

    assert (in_euros.sold, in_euros.fees) == (eur(5000), eur(FEE))
    assert in_dollars.sold == Money(0, "USD")
    assert (in_dollars.fees, in_dollars.net) == (Money(70, "USD"), Money(-70, "USD"))


def test_a_booking_that_differs_from_its_money_is_named(sell, settled, capsys):
    booking = sell(0)
    Booking.objects.update(amount_minor=4900)

    assert [row.booking for row in settled().unexplained] == [booking]
    call_command("settlement", booking.event.slug)
    assert booking.reference in capsys.readouterr().err


def test_the_sums_are_those_of_all_bookings(sell, give_back, settled):
    whole, part, _kept, _open = sell(0), sell(1), sell(2), sell(3, captured=False)
    give_back(whole)
    give_back(part, 1)

    [sums] = settled().sums

    confirmed = Booking.objects.filter(state=BookingState.CONFIRMED)
    assert sums.gross.minor + sums.open.minor == sum(b.amount_minor for b in confirmed)
    assert sums.net.minor == sum(row.money.net_minor for row in settled().rows)


def test_the_command_tells_the_sums_and_writes_every_payment(sell, event, tmp_path, capsys):
    booking = sell(0)
    Booking.objects.update(name='=HYPERLINK("http://bad.example")')
    file = tmp_path / "sale.csv"

    call_command("settlement", event.slug, csv=file)

    assert "€50.00" in capsys.readouterr().out
    heads, row = csv.reader(io.StringIO(file.read_text("utf-8-sig")))
    cells = dict(zip(heads, row, strict=True))
    assert cells["Booking"] == booking.reference
    assert cells["Name"].startswith("'=HYPERLINK")
    assert (cells["Currency"], cells["Sold for"], cells["Taken"]) == ("EUR", "50.00", "50.00")


def test_an_event_that_sold_nothing_says_so(event, capsys):
    call_command("settlement", event.slug)

    assert "Nothing was sold" in capsys.readouterr().out


def member(client, *organizers):
    roles.ensure()
    user = factories.UserFactory.create(is_staff=True)
    user.groups.add(roles.group(roles.ORGANIZERS))
    user.organizers.set(organizers)
    client.force_login(user)


def test_an_organizer_finds_the_settlement_on_the_page_of_the_event(client, event, sell):
    sell(0)
    member(client, event.organizer)
    address = f"/admin/bookings/booking/settlement/{event.pk}/"

    assert address in client.get(f"/admin/events/event/{event.pk}/change/").content.decode()
    assert "€50.00" in client.get(address).content.decode()
    sheet = client.get(address, {"csv": ""})
    assert sheet["Content-Disposition"] == f'attachment; filename="settlement-{event.slug}.csv"'
    assert sheet.content.decode("utf-8-sig").startswith("Booking,Name,")
    assert sheet.content.count("\ufeff".encode()) == 1


def test_nobody_sees_what_another_organizer_earned(client, event):
    member(client, factories.OrganizerFactory.create())

    assert client.get(f"/admin/bookings/booking/settlement/{event.pk}/").status_code == 404
