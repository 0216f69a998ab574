"""Mails to fans: at least once for each cause, and once unless a worker dies in the very act.

A mail is claimed by a lease before it is sent and marked when it was, so that two workers never
send it at once. Its Message-ID is made from the booking, so that a second copy can be recognised.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import timezone

from bookings import letters
from bookings.errors import MailInOtherHands
from bookings.models import Booking, Mail, MailKind
from ticketing.kernel import transactions

# Longer than any mail server is waited for.
CLAIM = timedelta(minutes=2)


def send(*, booking_id: int, kind: MailKind, cancellation_id: int | None = None) -> bool:
    """Send one mail of this kind for the booking, or the cancellation; False if it was sent before.

    Talks to the mail server; an error leaves the mail to be tried again. Raises MailInOtherHands
    while another worker is sending it, or has died of it: whoever asked must ask again.
    """
    transactions.forbid()
    booking = Booking.objects.get(pk=booking_id)
    which: dict[str, Any] = {"cancellation_id": cancellation_id}
    mail, _ = Mail.objects.get_or_create(
        booking=booking, kind=kind, **which, defaults={"created_at": timezone.now()}
    )
    if mail.sent_at:
        return False
    if not _claim(mail):
        raise MailInOtherHands(booking.reference)
    context = letters.context(booking, kind, mail.cancellation)
    told = f"{booking.reference}-{cancellation_id}" if cancellation_id else booking.reference
    name = f"emails/booking_{kind.value}"
    message = EmailMultiAlternatives(
        subject=" ".join(render_to_string(f"{name}.subject.txt", context).split()),
        body=render_to_string(f"{name}.txt", context),
        to=[booking.email],
        headers={"Message-ID": f"<{kind.value}.{told}@{settings.EMAIL_DOMAIN}>"},
    )
    message.attach_alternative(render_to_string(f"{name}.html", context), "text/html")
    try:
        message.send()
    except Exception:
        Mail.objects.filter(pk=mail.pk).update(claimed_at=None)
        raise
    Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now())
    return True


def _claim(mail: Mail) -> bool:
    now = timezone.now()
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - CLAIM)
    return bool(Mail.objects.filter(free, pk=mail.pk, sent_at=None).update(claimed_at=now))
