from django.apps import AppConfig


class KernelConfig(AppConfig):
    name = "ticketing.kernel"
    label = "kernel"
    verbose_name = "Facts"
