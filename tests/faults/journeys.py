"""The ways through the saga, by who learns of the money first and whose the seats are then.

Each goes on when a process dies: a fan reloads his page, the provider tells again, beat asks again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from django.utils import timezone

from bookings.models import Booking, BookingState, LapseReason
from events import terms
from events.models import Event
from inventory.models import Hold, HoldState
from payments.models import Payment
from payments.services import progress
from tests.bookings.conftest import session_of
from tests.faults.buyer import Buyer
from tests.faults.staff import Staff
from tests.inventory.asking import lapse, place
from tests.provider import SECRET, LocalProvider


@dataclass(frozen=True, slots=True)
class Story:
    """One fan, his seats, and everybody around him."""

    staff: Staff
    provider: LocalProvider
    event: Event
    seats: list[int]
    fan: Buyer

    def check_out(self) -> str:
        """To the provider's page, with the seats held and the booking pending."""
        reference = self.fan.hold(self.seats)
        assert reference is not None
        return self.fan.check_out(reference)

    def listen_to_webhooks(self) -> None:
        url = f"{self.staff.office.url}/payments/webhook/"
        self.provider.control("webhook", url=url, secret=SECRET)

    def let_the_lease_end(self) -> None:
        """Of the hold, and of whatever the provider may still do for it."""
        for hold in Hold.objects.filter(state=HoldState.ACTIVE):
            lapse(SimpleNamespace(hold_id=hold.pk))
        Payment.objects.update(deadline_at=timezone.now() - 2 * progress.STRAGGLER)

    def sell_to_another(self) -> None:
        place(terms.of(self.event.pk), self.seats, owner="another")


def pays_and_returns(story: Story) -> None:
    way_back = story.fan.pay(story.check_out())
    assert "Your seats are booked" in story.fan.come_back(str(way_back)).text


def pays_and_the_provider_tells(story: Story) -> None:
    story.listen_to_webhooks()
    story.fan.pay(story.check_out())


def pays_and_nobody_tells(story: Story) -> None:
    story.fan.pay(story.check_out())


def walks_away(story: Story) -> None:
    story.check_out()
    story.let_the_lease_end()


def lets_go(story: Story) -> None:
    reference = story.fan.hold(story.seats)
    assert reference is not None
    story.fan.check_out(reference)
    story.fan.let_go(reference)
    story.let_the_lease_end()


def comes_late_and_the_seats_are_free(story: Story) -> None:
    page = story.check_out()
    lapse(Booking.objects.get())
    assert "Your seats are booked" in story.fan.come_back(str(story.fan.pay(page))).text


def comes_late_and_the_seats_are_sold(story: Story) -> None:
    page = story.check_out()
    lapse(Booking.objects.get())
    story.sell_to_another()
    story.fan.come_back(str(story.fan.pay(page)))


def comes_late_and_the_money_is_taken(story: Story) -> None:
    """A method that captures at once: the money can only be given back."""
    story.check_out()
    lapse(Booking.objects.get())
    story.sell_to_another()
    booking = Booking.objects.get()
    story.provider.pay(session_of(booking), capture_at_once=True)
    story.fan.come_back(f"/bookings/{booking.secret}/return/")


def pays_at_the_second_try(story: Story) -> None:
    """The first page was closed at the provider, while the seats are still his."""
    reference = story.fan.hold(story.seats)
    assert reference is not None
    story.fan.check_out(reference)
    booking = Booking.objects.get()
    story.provider.client().v1.checkout.sessions.expire(session_of(booking))
    story.fan.come_back(f"/bookings/{booking.secret}/return/")
    way_back = story.fan.pay(story.fan.check_out(reference))
    assert "Your seats are booked" in story.fan.come_back(str(way_back)).text


def pays_though_the_provider_stumbled(story: Story) -> None:
    """It broke, and brings the same failure for the same key: another key has to be tried."""
    story.provider.fault("500", "POST /v1/checkout/sessions")
    pays_and_returns(story)


def pays_and_the_capture_is_not_answered(story: Story) -> None:
    story.provider.fault("timeout_before", "capture", seconds=0.1)
    pays_and_returns(story)


def meets_no_provider(story: Story) -> None:
    """Nothing was opened, nobody can say so, and the time to pay is over before anybody can."""
    story.provider.kill()
    assert "/bookings/" in story.check_out()
    story.provider.start()
    story.let_the_lease_end()


@dataclass(frozen=True, slots=True)
class Journey:
    travel: Callable[[Story], None]
    end: BookingState
    reason: str = ""

    @property
    def name(self) -> str:
        return self.travel.__name__


JOURNEYS = [
    Journey(pays_and_returns, BookingState.CONFIRMED),
    Journey(pays_and_the_provider_tells, BookingState.CONFIRMED),
    Journey(pays_and_nobody_tells, BookingState.CONFIRMED),
    Journey(pays_at_the_second_try, BookingState.CONFIRMED),
    Journey(pays_though_the_provider_stumbled, BookingState.CONFIRMED),
    Journey(pays_and_the_capture_is_not_answered, BookingState.CONFIRMED),
    Journey(meets_no_provider, BookingState.LAPSED, LapseReason.UNPAID),
    Journey(walks_away, BookingState.LAPSED, LapseReason.UNPAID),
    Journey(lets_go, BookingState.LAPSED, LapseReason.LET_GO),
    Journey(comes_late_and_the_seats_are_free, BookingState.CONFIRMED),
    Journey(comes_late_and_the_seats_are_sold, BookingState.LAPSED, LapseReason.LATE),
    Journey(comes_late_and_the_money_is_taken, BookingState.LAPSED, LapseReason.LATE),
]
