from django.apps import AppConfig


class VenuesConfig(AppConfig):
    name = "venues"
    verbose_name = "Venues"
