"""What a configuration may not be: money sent to a test address, or webhooks nobody can trust."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register("payments")
def provider_is_configured(**_: Any) -> list[CheckMessage]:
    key: str = settings.STRIPE_SECRET_KEY
    if settings.STRIPE_API_BASE:
        if key.startswith(("sk_live_", "rk_live_")):
            return [
                Error(
                    "A live key may not be sent to a local payment provider.",
                    hint="Unset STRIPE_API_BASE, or set STRIPE_SECRET_KEY to a test key.",
                    id="payments.E001",
                )
            ]
        return []
    needed = {"STRIPE_SECRET_KEY": key, "STRIPE_WEBHOOK_SECRET": settings.STRIPE_WEBHOOK_SECRET}
    return [
        Error(
            f"{name} is not set: nobody could pay.",
            hint="Set it to the value that the provider's dashboard shows.",
            id="payments.E002",
        )
        for name, value in needed.items()
        if not value and not settings.DEBUG
    ]
