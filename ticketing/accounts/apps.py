from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "ticketing.accounts"
    label = "accounts"
    verbose_name = "People"
