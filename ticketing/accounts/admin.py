"""People and their groups in the admin."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as BaseGroupAdmin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from ticketing.accounts.models import User

admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(BaseUserAdmin, ModelAdmin):  # type: ignore[type-arg]
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "is_staff", "is_active")
    list_filter = ("is_staff", "is_active", "groups")
    search_fields = ("email", "name")
    ordering = ("email",)
    readonly_fields = ("joined_at", "last_login")
    autocomplete_fields = ("groups",)
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        (gettext_lazy("What they may do"), {"fields": ("is_active", "is_staff", "groups")}),
        (gettext_lazy("Since when"), {"fields": (("joined_at", "last_login"),)}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("email", "name", "usable_password", "password1", "password2"),
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = super().get_fieldsets(request, obj)
        if obj and request.user.is_superuser:
            # Only somebody who may do everything can hand that on.
            return (*shown, (gettext_lazy("Everything"), {"fields": ("is_superuser",)}))
        return shown

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Their deeds stay: unset "active" instead.
        return False


@admin.register(Group)
class GroupAdmin(BaseGroupAdmin, ModelAdmin):
    search_fields = ("name",)
