from types import SimpleNamespace

import pytest
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

EVENT = SimpleNamespace(
    title="Tom & Jerry <live>",
    when="Fri 12 Feb 2027, 20:00 CET (Europe/Berlin)",
    where="Great Hall, Park Street 7, Berlin",
)
BOOKING = SimpleNamespace(reference="7Q2M4X", total="€97.00")
TICKETS = [
    ("Stalls left, row 12, seat 104", "https://tickets.example/t/one.pdf"),
    ("Stalls left, row 12, seat 105", "https://tickets.example/t/two.pdf"),
]
CONFIRMED = {
    "booking": BOOKING,
    "event": EVENT,
    "tickets": TICKETS,
    "booking_url": "https://tickets.example/b/secret?from=mail&x=1",
}
LAPSED = {"booking": BOOKING, "event": EVENT, "money": "No money was taken."}


def mail(name, part, context):
    return render_to_string(f"emails/{name}.{part}", context)


@pytest.mark.parametrize("part", ["txt", "html"])
def test_a_confirmation_says_what_when_where_how_much_and_links_every_ticket(part):
    body = mail("booking_confirmed", part, CONFIRMED)

    for said in [EVENT.when, EVENT.where, BOOKING.reference, BOOKING.total]:
        assert said in body
    for label, pdf_url in TICKETS:
        assert label in body
        assert pdf_url in body


def test_plain_text_is_plain_and_pages_are_escaped():
    assert EVENT.title in mail("booking_confirmed", "txt", CONFIRMED)
    assert CONFIRMED["booking_url"] in mail("booking_confirmed", "txt", CONFIRMED)
    page = mail("booking_confirmed", "html", CONFIRMED)
    assert "Tom &amp; Jerry &lt;live&gt;" in page
    assert "<live>" not in page


@pytest.mark.parametrize("part", ["txt", "html"])
def test_who_paid_too_late_reads_where_the_money_is(part):
    body = mail("booking_lapsed", part, LAPSED)

    for said in [EVENT.when, EVENT.where, BOOKING.reference, LAPSED["money"]]:
        assert said in body


@pytest.mark.parametrize(
    ("name", "context"), [("booking_confirmed", CONFIRMED), ("booking_lapsed", LAPSED)]
)
def test_a_subject_is_one_line_that_names_the_event(name, context):
    subject = mail(name, "subject.txt", context).strip()

    assert EVENT.title in subject
    assert EmailMessage(subject=subject).message()["Subject"] == subject


@pytest.mark.parametrize(
    ("name", "context"), [("booking_confirmed", CONFIRMED), ("booking_lapsed", LAPSED)]
)
def test_a_mail_loads_nothing_from_elsewhere_and_fits_a_phone(name, context):
    page = mail(name, "html", context)

    for loading in ["<img", "<script", "<link", "<table", "src=", "url("]:
        assert loading not in page
    assert 'name="viewport"' in page
