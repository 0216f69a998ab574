import pytest
from django.core.exceptions import ImproperlyConfigured

from payments import stripe
from payments.checks import provider_is_configured


@pytest.fixture(autouse=True)
def real(settings):
    settings.STRIPE_API_BASE = ""
    settings.STRIPE_SECRET_KEY = "sk_live_1"
    settings.STRIPE_WEBHOOK_SECRET = ["whsec_1"]
    return settings


def test_a_key_and_a_secret_are_enough():
    assert provider_is_configured() == []


@pytest.mark.parametrize(
    ("name", "nothing"), [("STRIPE_SECRET_KEY", ""), ("STRIPE_WEBHOOK_SECRET", [])]
)
def test_nobody_sells_without_a_key_and_a_secret(real, name, nothing):
    setattr(real, name, nothing)

    found = provider_is_configured()

    assert [each.id for each in found] == ["payments.E001"]
    assert name in found[0].msg


def test_a_live_key_is_not_sent_to_a_local_provider(real):
    real.STRIPE_API_BASE = "http://127.0.0.1:1"

    with pytest.raises(ImproperlyConfigured):
        stripe.StripeGateway().look(session="cs_1")
