"""What all admin pages have in common: they write little, and never over what others wrote."""

from typing import Any

from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline


class CarefulAdmin(ModelAdmin):  # type: ignore[misc]
    """Saves the fields that the form changed and no other, and deletes nothing in bulk."""

    list_per_page = 50
    show_full_result_count = False
    list_filter_submit = False
    warn_unsaved_form = True

    def save_model(
        self, request: HttpRequest, obj: Model, form: "ModelForm[Any]", change: bool
    ) -> None:
        if not change:
            obj.save()
            return
        own = {field.name for field in obj._meta.concrete_fields}
        changed = [name for name in form.changed_data if name in own]
        if changed:
            # Whole rows would write back states that somebody else has moved on since.
            obj.save(update_fields=changed)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions


class ReadOnly:
    """Looks at rows that only services write."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, CarefulAdmin):
    pass


class ReadOnlyInline(ReadOnly, TabularInline):  # type: ignore[misc]
    extra = 0
    can_delete = False
    show_change_link = True
    tab = False
