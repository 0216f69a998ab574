import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from payments.models import Movement, Payment, ProviderCall, ProviderEvent, Refund, RefundState
from payments.services import charges
from tests.payments.conftest import begin_and_pay

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def staff(client):
    client.force_login(
        get_user_model().objects.create_superuser(email="staff@example.org", password="x")
    )
    return client


@pytest.fixture
def paid_back(provider, reference):
    begin_and_pay(provider, reference, capture_at_once=True)
    charges.void(reference=reference)
    ProviderEvent.objects.create(
        provider="stripe",
        event_id="evt_1",
        kind="charge.refunded",
        reference=reference,
        payload={},
    )
    return Payment.objects.get(reference=reference)


@pytest.mark.parametrize("model", [Payment, Movement, ProviderCall, Refund, ProviderEvent])
def test_staff_find_and_read_and_change_nothing(staff, paid_back, model):
    name = f"admin:payments_{model._meta.model_name}"

    found = staff.get(reverse(f"{name}_changelist"), {"q": paid_back.reference})
    row = staff.get(reverse(f"{name}_change", args=[model.objects.earliest("pk").pk]))

    assert paid_back.reference in found.content.decode()
    assert row.status_code == 200
    assert 'name="_save"' not in row.content.decode()
    assert staff.get(reverse(f"{name}_add")).status_code == 403


@pytest.mark.parametrize("model", [ProviderCall, ProviderEvent])
def test_what_the_provider_was_told_of_the_payer_is_not_shown(staff, paid_back, model):
    ProviderCall.objects.update(params={"success_url": "https://shop.test/bookings/s3cret/"})
    ProviderEvent.objects.update(payload={"success_url": "https://shop.test/bookings/s3cret/"})
    name = f"admin:payments_{model._meta.model_name}_change"

    pages = [staff.get(reverse(name, args=[row.pk])) for row in model.objects.all()]

    assert pages
    assert not any("s3cret" in page.content.decode() for page in pages)


def test_a_payment_shows_its_story(staff, paid_back):
    page = staff.get(reverse("admin:payments_payment_change", args=[paid_back.pk]))

    assert f"{paid_back.reference}-unwanted" in page.content.decode()
    assert f"authorize:{paid_back.reference}:1" in page.content.decode()
    assert "-€91.00" in page.content.decode()
    assert "kept by the provider" in page.content.decode()


def test_a_payment_is_found_by_what_the_provider_calls_it(staff, paid_back):
    found = staff.get(
        reverse("admin:payments_payment_changelist"), {"q": paid_back.provider_intent}
    )

    assert paid_back.reference in found.content.decode()


def test_a_refund_that_failed_is_tried_again_from_the_list(staff, paid_back, provider):
    failed = Refund.objects.get()
    provider.control("settle_refund", id=failed.provider_refund, failure="declined")
    charges.refresh(reference=paid_back.reference)

    chosen = {"action": "try_again", "_selected_action": [failed.pk]}
    pages = [
        staff.post(reverse("admin:payments_refund_changelist"), chosen, follow=True)
        for _ in range(2)
    ]

    assert "1 refunds are asked for again" in pages[0].content.decode()
    assert "0 refunds are asked for again" in pages[1].content.decode()
    assert Refund.objects.get(again_of=failed).state == RefundState.REQUESTED
