"""What a configuration may not be: one with which nobody could pay."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register("payments", deploy=True)
def provider_is_configured(**_: Any) -> list[CheckMessage]:
    names = ("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET")
    return [
        Error(
            f"{name} is not set: nobody could pay.",
            hint="Set it to the value that the provider's dashboard shows.",
            id="payments.E001",
        )
        for name in names
        if not getattr(settings, name)
    ]
