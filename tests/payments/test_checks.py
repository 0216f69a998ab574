import pytest
from django.core.exceptions import ImproperlyConfigured

from payments import stripe
from payments.checks import provider_is_configured


@pytest.fixture(autouse=True)
def real(settings):
    settings.DEBUG = False
    settings.STRIPE_API_BASE = ""
    settings.STRIPE_SECRET_KEY = "sk_live_1"
    settings.STRIPE_WEBHOOK_SECRET = ["whsec_1"]
    return settings


def ids():
    return [found.id for found in provider_is_configured()]


def test_a_live_key_with_a_secret_is_fine():
    assert ids() == []


@pytest.mark.parametrize(
    ("name", "nothing"), [("STRIPE_SECRET_KEY", ""), ("STRIPE_WEBHOOK_SECRET", [])]
)
def test_nobody_sells_without_a_key_and_a_secret(real, name, nothing):
    setattr(real, name, nothing)

    assert ids() == ["payments.E002"]


def test_a_live_key_is_not_sent_to_a_local_provider(real):
    real.STRIPE_API_BASE = "http://127.0.0.1:1"

    assert ids() == ["payments.E001"]
    with pytest.raises(ImproperlyConfigured):
        stripe.StripeGateway().look(session="cs_1")


def test_developing_needs_neither(real):
    real.DEBUG = True
    real.STRIPE_SECRET_KEY = ""
    real.STRIPE_WEBHOOK_SECRET = []

    assert ids() == []
