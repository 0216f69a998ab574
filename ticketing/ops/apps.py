from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "ticketing.ops"
    label = "ops"
