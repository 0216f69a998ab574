import pytest

from events.models import Fare
from inventory.errors import HoldLost, NoSuchPrice, PaymentStarted
from inventory.models import HoldLine
from inventory.services import fares
from tests.inventory.asking import lapse, place, start_payment

pytestmark = pytest.mark.django_db


@pytest.fixture
def placed(sale, seats):
    return place(sale, seats[:2], owner="a")


@pytest.fixture
def child(event):
    return Fare.objects.get(event=event, name="Child").pk


def change(placed, sale, wished, owner="a"):
    fares.change_fares(reference=placed.reference, owner=owner, terms=sale, fares=wished)


def prices(placed):
    lines = HoldLine.objects.filter(hold_id=placed.hold_id).order_by("pk")
    return list(lines.values_list("price_minor", flat=True))


def line_of(placed):
    return HoldLine.objects.filter(hold_id=placed.hold_id).earliest("pk").pk


def test_another_fare_is_another_price(placed, sale, child):
    change(placed, sale, {line_of(placed): child})

    assert prices(placed) == [2500, 5000]


def test_one_bad_wish_changes_nothing(placed, sale, child):
    first, second = HoldLine.objects.filter(hold_id=placed.hold_id).values_list("pk", flat=True)

    with pytest.raises(NoSuchPrice):
        change(placed, sale, {first: child, second: 10**9})

    assert prices(placed) == [5000, 5000]


def test_a_line_of_another_hold_is_refused(placed, sale, seats, child):
    other = place(sale, seats[2:3], owner="b")

    with pytest.raises(HoldLost):
        change(placed, sale, {line_of(other): child})

    assert prices(other) == [5000]


def test_after_the_payment_started_prices_stay(placed, sale, child):
    start_payment(placed, sale)

    with pytest.raises(PaymentStarted):
        change(placed, sale, {line_of(placed): child})


def test_a_lapsed_hold_keeps_its_prices(placed, sale, child):
    lapse(placed)

    with pytest.raises(HoldLost):
        change(placed, sale, {line_of(placed): child})
