"""What our processes log goes through this formatter, whoever wrote the words."""

import logging
import smtplib
import sys
from typing import Any

import pytest
from django.conf import settings

from ticketing.celery import app
from ticketing.kernel.discretion import DiscreetFormatter


def logged(message, *arguments, exc_info=None):
    record = logging.LogRecord(
        "django.request", logging.WARNING, __file__, 1, message, arguments, exc_info
    )
    return DiscreetFormatter("{levelname} {message}", style="{").format(record)


@pytest.mark.parametrize("rest", ["", "return/", "tickets/7/ticket.pdf?fresh=1"])
def test_the_link_behind_which_tickets_are_is_not_logged(rest):
    line = logged("Not Found: %s", f"/bookings/Zk3-x_Y9/{rest}")

    assert line == f"WARNING Not Found: /bookings/(secret)/{rest}"


def test_an_address_in_the_words_of_a_mail_server_is_not_logged():
    try:
        raise smtplib.SMTPRecipientsRefused({"ada.l+x@mail.example.org": (550, b"no such box")})
    except smtplib.SMTPException:
        line = logged("mail failed", exc_info=sys.exc_info())

    assert "no such box" in line
    assert "ada" not in line
    assert "(address)" in line


def test_a_partners_token_is_not_logged():
    line = logged("refused: %s", {"Authorization": "Bearer tkt_Zk3-x_Y9"})

    assert line == "WARNING refused: {'Authorization': 'Bearer (secret)'}"


def test_every_process_logs_so():
    logs: Any = settings.LOGGING

    formatters = [logs["formatters"][each["formatter"]]["()"] for each in logs["handlers"].values()]

    assert set(formatters) == {f"{DiscreetFormatter.__module__}.{DiscreetFormatter.__name__}"}
    # Celery would put formatters of its own in their place.
    assert not app.conf.worker_hijack_root_logger
