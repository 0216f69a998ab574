from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from bookings.models import Booking, BookingState, Cancellation, Cause, Mail, MailKind
from bookings.services import checkout, issuing
from events import terms
from inventory import selectors
from inventory.models import EventSeat
from tests import factories
from tests.constraints.breaking import broken_by, copy
from tests.inventory.asking import place

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def booking():
    """A confirmed booking of one seat with its ticket, and a mail."""
    event = factories.opened_event()
    sale = terms.of(event.pk)
    placed = place(sale, [EventSeat.objects.filter(event=event).earliest("pk").pk])
    hold = selectors.hold_by_id(placed.hold_id)
    booking = checkout.start(hold=hold, name="Ada", email="ada@example.org", terms=sale)
    checkout.confirm(booking=booking)
    with transaction.atomic():
        issuing.issue(booking_id=booking.pk)
    made = Cancellation.objects.create(
        booking=booking,
        cause=Cause.STAFF,
        by_name="Ada",
        why="ill",
        at=timezone.now(),
        refund_minor=1,
        kept_minor=0,
    )
    Mail.objects.create(booking=booking, kind=MailKind.CONFIRMED, created_at=timezone.now())
    Mail.objects.create(
        booking=booking, kind=MailKind.CANCELLED, cancellation=made, created_at=timezone.now()
    )
    return Booking.objects.get(state=BookingState.CONFIRMED)


@pytest.mark.parametrize(
    ("name", "table", "changes"),
    [
        (
            "bookings_one_open_booking_per_hold",
            "bookings_booking",
            {"reference": "'another'", "secret": "'another'"},
        ),
        ("bookings_line_position_is_unique", "bookings_bookingline", {}),
        ("bookings_one_live_ticket_per_line", "bookings_ticket", {}),
        ("bookings_one_live_credential_per_ticket", "bookings_credential", {"code": "'another'"}),
        (
            "bookings_one_mail_of_a_kind",
            "bookings_mail",
            {"kind": "'confirmed'", "cancellation_id": "NULL"},
        ),
        ("bookings_mail_cancellation_id_key", "bookings_mail", {}),
    ],
)
def test_there_is_one_of_a_kind(name, table, changes):
    assert broken_by(copy(table, **changes)) == name


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        (
            "bookings_booking_has_the_times_of_its_state",
            "UPDATE bookings_booking SET state = 'pending'",
        ),
        (
            "bookings_booking_has_the_times_of_its_state",
            "UPDATE bookings_booking SET lapse_reason = 'late'",
        ),
        ("bookings_booking_has_the_times_of_its_state", "UPDATE bookings_booking SET state='x'"),
        (
            "bookings_line_is_a_seat_or_pool_places",
            "UPDATE bookings_bookingline SET seat_id = NULL",
        ),
        (
            "bookings_line_keeps_no_more_than_it_cost",
            "UPDATE bookings_bookingline SET kept_minor = price_minor + fee_minor + 1",
        ),
        (
            "bookings_booking_keeps_no_more_than_its_fee",
            "UPDATE bookings_booking SET kept_booking_fee_minor = booking_fee_minor + 1",
        ),
        (
            "bookings_cancellation_cause_is_known",
            partial(copy, "bookings_cancellation", cause="'x'"),
        ),
        (
            "bookings_cancellation_says_who_and_why",
            partial(copy, "bookings_cancellation", by_name="''"),
        ),
        (
            "bookings_cancellation_says_who_and_why",
            partial(copy, "bookings_cancellation", why="''"),
        ),
        (
            "bookings_cancellations_are_append_only",
            "UPDATE bookings_cancellation SET why = 'another'",
        ),
        ("bookings_cancellations_are_append_only", "DELETE FROM bookings_cancellation"),
        (
            "bookings_line_is_a_seat_or_pool_places",
            "UPDATE bookings_bookingline SET admits = 2 WHERE seat_id IS NOT NULL",
        ),
        (
            "bookings_ticket_is_revoked_iff_it_has_the_time",
            "UPDATE bookings_ticket SET state = 'revoked'",
        ),
        (
            "bookings_ticket_is_revoked_iff_it_has_the_time",
            "UPDATE bookings_ticket SET revoked_at = now()",
        ),
    ],
)
def test_a_row_keeps_its_shape(name, sql):
    assert broken_by(sql() if callable(sql) else sql) == name
