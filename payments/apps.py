from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    name = "payments"
    verbose_name = "Payments"

    def ready(self) -> None:
        # Registers the handlers of facts, the audit queries and the system checks.
        from payments import audits, checks, handlers  # noqa: F401
