from django.apps import AppConfig


class BookingsConfig(AppConfig):
    name = "bookings"
    verbose_name = "Bookings"

    def ready(self) -> None:
        # Subscribes the handlers and registers the audit queries.
        from bookings import audits, handlers  # noqa: F401
