"""Forms of the admin: money is typed as people write it, and kept in minor units."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminDecimalFieldWidget

from events.models import Event, Fare, Fee, Price, PriceZone
from ticketing.kernel import money
from ticketing.kernel.money import Money

# The same as the CHECK of the database, in minor units.
MAX_MINOR = 10_000_000_00


class MoneyField(forms.DecimalField):
    """An amount of one currency; its value is a Money."""

    widget = UnfoldAdminDecimalFieldWidget

    def __init__(self, *, currency: str, **options: Any) -> None:
        self.currency = currency
        places = money.currency(currency).exponent
        top = Money(MAX_MINOR, currency).decimal
        super().__init__(min_value=Decimal(0), max_value=top, decimal_places=places, **options)

    def clean(self, value: Any) -> Any:
        amount = super().clean(value)
        if amount is None:
            return None
        found = money.from_decimal(amount, self.currency)
        try:
            money.to_provider(found)
        except money.UnpayableAmount as error:
            raise ValidationError(
                _("%(amount)s cannot be charged in %(currency)s: choose a rounder amount."),
                params={"amount": found, "currency": self.currency},
            ) from error
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        shown = initial.decimal if isinstance(initial, Money) else initial
        return super().has_changed(shown, data)

    def prepare_value(self, value: Any) -> Any:
        return value.decimal if isinstance(value, Money) else value


class ZoneForm(forms.ModelForm):  # type: ignore[type-arg]
    """A price zone with a price for each fare of its event: a row of the price grid.

    A subclass made by `zone_form` knows the event's fares, currency and categories.
    """

    fares: tuple[Fare, ...] = ()

    class Meta:
        model = PriceZone
        fields = ("rank", "name", "categories")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            for price in self.instance.prices.all():
                name = _field_of(price.fare_id)
                if name in self.fields:
                    field = self.fields[name]
                    assert isinstance(field, MoneyField)  # noqa: S101
                    self.initial[name] = Money(price.amount_minor, field.currency)

    def _save_m2m(self) -> None:
        super()._save_m2m()  # type: ignore[misc]
        for fare in self.fares:
            amount = self.cleaned_data.get(_field_of(fare.pk))
            if _field_of(fare.pk) not in self.changed_data:
                continue
            if amount is None:
                Price.objects.filter(zone=self.instance, fare=fare).delete()
            else:
                Price.objects.update_or_create(
                    zone=self.instance, fare=fare, defaults={"amount_minor": amount.minor}
                )


def zone_form(event: Event | None) -> type[ZoneForm]:
    """The row of the price grid for one event; a new event has no fares yet, so no prices."""
    fares = tuple(event.fares.order_by("rank")) if event else ()
    attributes: dict[str, Any] = {"fares": fares}
    if event and event.seat_map and not event.opened_at:
        attributes["categories"] = forms.MultipleChoiceField(
            choices=[(each["name"], each["name"]) for each in event.seat_map.categories],
            required=False,
            widget=UnfoldAdminCheckboxSelectMultipleWidget,
        )
    for fare in fares:
        attributes[_field_of(fare.pk)] = MoneyField(
            currency=event.currency if event else "EUR",
            label=f"{fare.name} ({event.currency if event else ''})",
            required=False,
        )
    return type("EventZoneForm", (ZoneForm,), attributes)


def _field_of(fare_id: int) -> str:
    return f"price_{fare_id}"


class FeeForm(forms.ModelForm):  # type: ignore[type-arg]
    """A fee in its event's currency; see `fee_form`."""

    class Meta:
        model = Fee
        fields = ("name", "kind", "is_refundable")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["amount"]
        assert isinstance(field, MoneyField)  # noqa: S101
        if self.instance.pk:
            self.initial["amount"] = Money(self.instance.amount_minor, field.currency)

    def _post_clean(self) -> None:
        amount = self.cleaned_data.get("amount")
        if amount is not None:
            self.instance.amount_minor = amount.minor
        super()._post_clean()  # type: ignore[misc]


def fee_form(currency: str) -> type[FeeForm]:
    field = MoneyField(currency=currency, label=gettext_lazy("Amount") + f" ({currency})")
    return type("EventFeeForm", (FeeForm,), {"amount": field})
