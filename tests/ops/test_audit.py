"""Each audit check finds the fault it is for, planted with the constraints out of the way."""

import inspect
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

import payments.audits
from bookings.models import Booking
from bookings.services import checkout, issuing
from events import terms
from inventory import selectors
from inventory.models import AdmissionPool, EventSeat
from inventory.services import pools
from payments.models import MovementKind, Payment, PaymentState
from tests import factories
from tests.inventory.asking import place
from ticketing.kernel import audit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def house():
    """A booking of a seat and a pool place, confirmed, paid and issued; and a live hold of both."""
    event = factories.opened_event(pool_capacity=5)
    factories.presale_code(factories.opened_event(), max_holds=1)
    sale = terms.of(event.pk)
    seats = EventSeat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True)
    pool = AdmissionPool.objects.get(event=event)
    with transaction.atomic():
        pools.cap_fare(pool_id=pool.pk, fare_id=sale.first_fare_id, capacity=4)
    booking = _book(place(sale, [seats[0]], pools=[(pool.pk, 1)]), sale)
    place(sale, seats[1:3], pools=[(pool.pk, 1)])
    with transaction.atomic():
        issuing.issue(booking_id=booking.pk)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _book(placed, sale):
    hold = selectors.hold_by_id(placed.hold_id)
    booking = checkout.start(hold=hold, name="Ada", email="ada@example.org", terms=sale)
    payment = Payment.objects.create(
        reference=booking.payment_reference,
        provider="stripe",
        state=PaymentState.AUTHORIZED,
        amount_minor=booking.amount_minor,
        currency=booking.currency,
        deadline_at=hold.expires_at,
        provider_session="cs_1",
        provider_intent="pi_1",
        authorized_at=timezone.now(),
        next_check_at=timezone.now() + timedelta(minutes=1),
    )
    factories.movement(payment, MovementKind.AUTHORIZED, payment.amount_minor)
    checkout.confirm(booking=booking)
    return Booking.objects.get(pk=booking.pk)


HELD = "(SELECT min(id) FROM inventory_eventseat WHERE state = 'held')"
BOOKED = "(SELECT min(id) FROM inventory_eventseat WHERE state = 'booked')"
FREE = "(SELECT min(id) FROM inventory_eventseat WHERE state = 'available')"
CANCELLED = """
WITH made AS (
    INSERT INTO bookings_cancellation
        (booking_id, cause, by_name, why, at, refund_minor, kept_minor)
    SELECT id, 'staff', 'Ada', 'ill', now(), 100, 0 FROM bookings_booking RETURNING id
)
"""
FAULTS = [
    (
        "no more holds go by a presale code than it allows",
        "UPDATE inventory_hold SET access_code_id = (SELECT min(id) FROM events_accesscode)",
    ),
    (
        "a seat names a hold if and only if it is held or booked",
        f"UPDATE inventory_eventseat SET state = 'booked' WHERE id = {FREE}",
    ),
    (
        "a taken seat carries the token of its hold",
        f"UPDATE inventory_eventseat SET fencing_token = fencing_token + 100 WHERE id = {HELD}",
    ),
    (
        "a held seat has an active hold, a booked one a confirmed hold",
        f"UPDATE inventory_eventseat SET state = 'booked' WHERE id = {HELD}",
    ),
    (
        "an active hold owns every seat it has a line for, and no other",
        f"UPDATE inventory_eventseat SET state = 'available', hold_id = NULL WHERE id = {HELD}",
    ),
    (
        "a seat and its hold are of one event",
        "UPDATE inventory_eventseat SET event_id = (SELECT max(id) FROM events_event)"
        f" WHERE id = {HELD}",
    ),
    (
        "a pool counts as held what active holds hold",
        "UPDATE inventory_admissionpool SET held = held + 1",
    ),
    (
        "a pool counts as booked what sold holds bought and did not give back",
        "UPDATE inventory_holdline SET cancelled = places WHERE pool_id IS NOT NULL",
    ),
    (
        "a sold hold owns every seat that it bought and did not give back, and no other",
        "UPDATE inventory_holdline SET cancelled = 1 WHERE seat_id IS NOT NULL",
    ),
    (
        "a pool never holds and books more than its capacity",
        "UPDATE inventory_admissionpool SET capacity = 1",
    ),
    (
        "a fare's cap counts what holds have at it, and what was bought at it and not given back",
        "UPDATE inventory_farecap SET held = held + 1",
    ),
    (
        "a fare's cap counts what holds have at it, and what was bought at it and not given back",
        "UPDATE inventory_farecap SET booked = booked - 1",
    ),
    ("a pool with a cap says so", "UPDATE inventory_admissionpool SET has_caps = false"),
    (
        "no more places are held and booked at a fare than its cap",
        "UPDATE inventory_farecap SET capacity = 1",
    ),
    ("a line is of whole tickets", "UPDATE inventory_holdline SET admits = 2"),
    (
        "a seat of an open event is of the map that the event pins",
        "UPDATE events_event SET seat_map_id = (SELECT max(id) FROM venues_seatmap)"
        " WHERE id = (SELECT min(id) FROM events_event WHERE seat_map_id IS NOT NULL)",
    ),
    (
        "a confirmed booking owns every place it sold",
        f"UPDATE inventory_eventseat SET state = 'available', hold_id = NULL WHERE id = {BOOKED}",
    ),
    (
        "a booked seat has a confirmed booking",
        "UPDATE bookings_booking SET state = 'cancelled', cancelled_at = now()",
    ),
    (
        "a pool counts as booked what confirmed bookings have",
        "UPDATE inventory_admissionpool SET booked = booked + 1",
    ),
    (
        "a confirmed booking is told in the outbox",
        "DELETE FROM kernel_outboxmessage WHERE topic = 'bookings.booking_confirmed'",
    ),
    (
        "a confirmed booking has its tickets within two minutes",
        "UPDATE bookings_booking SET confirmed_at = now() - interval '1 hour';"
        "DELETE FROM bookings_credential; DELETE FROM bookings_ticket",
    ),
    ("a valid ticket has one live credential", "UPDATE bookings_credential SET voided_at = now()"),
    (
        "a cancelled line has no valid ticket",
        f"{CANCELLED} UPDATE bookings_bookingline SET cancellation_id = (SELECT id FROM made)",
    ),
    (
        "a booking is cancelled if and only if each of its lines is",
        f"{CANCELLED} UPDATE bookings_bookingline SET cancellation_id = (SELECT id FROM made)",
    ),
    (
        "a booking is cancelled if and only if each of its lines is",
        "UPDATE bookings_booking SET state = 'cancelled', cancelled_at = now()",
    ),
    (
        "nothing is sold any more of an event that was cancelled an hour ago",
        "UPDATE events_event SET state = 'cancelled' WHERE id = "
        "(SELECT min(event_id) FROM bookings_booking);"
        "INSERT INTO kernel_outboxmessage"
        " (topic, key, payload, created_at, available_at, attempts, last_error)"
        " SELECT 'events.event_cancelled', min(event_id) || ' then', '{}',"
        " now() - interval '2 hours', now(), 0, '' FROM bookings_booking",
    ),
    ("what a cancellation promised is given back, or being given back", f"{CANCELLED} SELECT 1"),
    (
        "a booking costs what its lines cost",
        "UPDATE bookings_bookingline SET price_minor = price_minor + 1",
    ),
    (
        "a confirmed booking has its money, a lapsed one has none",
        "UPDATE payments_payment SET state = 'declined', settled_at = now(), next_check_at = NULL",
    ),
    (
        "a confirmed booking has its money, a lapsed one has none",
        "UPDATE payments_payment SET amount_minor = amount_minor - 1",
    ),
    (
        "money of an earlier try goes back within ten minutes",
        "UPDATE payments_payment SET authorized_at = now() - interval '1 hour';"
        "UPDATE bookings_booking SET attempt = attempt + 1",
    ),
]


def _drop_checks():
    """Take every CHECK and unique rule of ours away; the test's rollback brings them back."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)"
            " FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace"
        )
        for (statement,) in cursor.fetchall():
            cursor.execute(statement)


def test_a_house_in_order_has_no_finding(capsys):
    call_command("audit")

    assert "No finding" in capsys.readouterr().out


@pytest.mark.parametrize(("rule", "fault"), FAULTS)
def test_a_planted_fault_is_found(rule, fault):
    _drop_checks()
    with connection.cursor() as cursor:
        cursor.execute(fault)

    assert rule in {finding.rule for finding in audit.run()}


def test_the_command_fails_and_names_what_it_found(capsys):
    _drop_checks()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE inventory_admissionpool SET held = held + 1")

    with pytest.raises(CommandError, match="Findings: 1"):
        call_command("audit")

    assert "a pool counts as held what active holds hold" in capsys.readouterr().err


def test_every_rule_has_a_planted_fault():
    # Those of payments have theirs in its own tests.
    elsewhere = inspect.getsource(payments.audits)

    said = {rule for rule, _ in FAULTS}
    assert [rule for rule in audit.rules() if rule not in said and rule not in elsewhere] == []
