from django.apps import AppConfig


class BookingsConfig(AppConfig):
    name = "bookings"
    verbose_name = "Bookings"

    def ready(self) -> None:
        # Subscribes the handlers, registers the audit queries, and hears of logins.
        from django.contrib.auth.signals import user_logged_in

        from bookings import (
            audits,  # noqa: F401
            handlers,  # noqa: F401
            visitors,
        )

        user_logged_in.connect(visitors.join, dispatch_uid="bookings.visitors.join")
