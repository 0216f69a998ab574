"""What follows from a booking's facts: tickets, their end, and mails; each once."""

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone

from bookings.models import Mail, Ticket, TicketState
from bookings.services import issuing, mailing, paying
from payments.models import Payment
from tests.bookings.conftest import session_of, tell_all
from ticketing.kernel.models import OutboxMessage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider_here")]


def test_tickets_are_issued_once_however_often_the_fact_is_told(provider_here, booking):
    provider_here.pay(session_of(booking))
    paying.refresh(booking=booking)

    for _ in range(3):
        with transaction.atomic():
            issuing.issue(booking_id=booking.pk)

    assert Ticket.objects.count() == 2


def test_a_capture_that_fails_for_good_revokes_the_tickets(provider_here, booking):
    provider_here.pay(session_of(booking))
    paying.refresh(booking=booking)
    intent = Payment.objects.get(reference=booking.payment_reference).provider_intent
    provider_here.control("expire_auth", id=intent)
    tell_all()

    assert not Ticket.objects.filter(state=TicketState.VALID).exists()
    assert not Ticket.objects.filter(credentials__voided_at=None).exists()


def test_a_mail_whose_worker_died_is_sent_by_another_and_not_forgotten(
    provider_here, booking, monkeypatch
):
    provider_here.pay(session_of(booking))
    paying.refresh(booking=booking)
    with monkeypatch.context() as dying:
        dying.setattr("django.core.mail.EmailMultiAlternatives.send", _die)
        with pytest.raises(SystemExit):
            tell_all()
    OutboxMessage.objects.update(available_at=timezone.now())
    tell_all()
    # It may still be in the other worker's hands.
    assert not mail.outbox

    Mail.objects.update(claimed_at=timezone.now() - mailing.CLAIM * 2)
    OutboxMessage.objects.update(available_at=timezone.now())
    tell_all()

    assert len(mail.outbox) == 1


def test_a_mail_that_failed_is_sent_later_and_once(provider_here, booking, monkeypatch):
    provider_here.pay(session_of(booking))
    paying.refresh(booking=booking)
    with monkeypatch.context() as away:
        away.setattr("django.core.mail.EmailMultiAlternatives.send", _refuse)
        tell_all()
    assert Mail.objects.get().sent_at is None
    assert not mail.outbox

    OutboxMessage.objects.update(available_at=timezone.now())
    tell_all()

    assert len(mail.outbox) == 1
    assert Mail.objects.get().sent_at


def _die(*_):
    raise SystemExit


def _refuse(*_):
    raise ConnectionError("421 try again later")
