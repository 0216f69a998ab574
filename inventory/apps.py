from django.apps import AppConfig


class InventoryConfig(AppConfig):
    name = "inventory"
    verbose_name = "Inventory"

    def ready(self) -> None:
        # Registers the audit queries, and hands down what the floors below show.
        from events import availability as levels
        from events import uses
        from inventory import (
            audits,  # noqa: F401
            availability,
            selectors,
        )
        from venues import usage

        levels.provide(availability.levels)
        uses.provide(selectors.uses_of_codes)
        usage.provide(availability.needed_guids)
