"""People, their groups, and partners with their tokens in the admin."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as BaseGroupAdmin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from ticketing.accounts import partners
from ticketing.accounts.models import Partner, PartnerToken, User
from ticketing.kernel.backstage import CarefulAdmin, ReadOnlyAdmin, ReadOnlyInline

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


class TokenInline(ReadOnlyInline):
    model = PartnerToken
    fields = ("scopes", "requests_per_minute", "expires_at", "revoked_at", "last_used_at")


@admin.register(Partner)
class PartnerAdmin(CarefulAdmin):
    list_display = ("name", "created_at")
    search_fields = ("name",)
    ordering = ("name",)
    fields = ("name", "created_at")
    readonly_fields = ("created_at",)
    inlines = [TokenInline]

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # What it holds names it: revoke its tokens instead.
        return False


@admin.register(PartnerToken)
class PartnerTokenAdmin(ReadOnlyAdmin):
    """Made by `manage.py partner_token`, since a page that shows a secret may be kept somewhere."""

    list_display = ("id", "partner", "may", "state", "expires_at", "last_used_at")
    list_select_related = ("partner",)
    search_fields = ("partner__name",)
    ordering = ("-pk",)
    fields = (
        "partner",
        "may",
        "requests_per_minute",
        ("created_at", "expires_at"),
        ("revoked_at", "last_used_at"),
    )
    readonly_fields = ("may",)
    actions = ["revoke"]

    @admin.action(description=gettext_lazy("Revoke"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: "QuerySet[PartnerToken]") -> None:
        ids = list(chosen.values_list("pk", flat=True))
        count = partners.revoke(token_ids=ids, at=timezone.now())
        text = ngettext("%d token is revoked.", "%d tokens are revoked.", count) % count
        self.message_user(request, text, messages.SUCCESS)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("accounts.change_partnertoken"))

    @display(description=gettext_lazy("May"))
    def may(self, token: PartnerToken) -> str:
        return ", ".join(token.scopes)

    @display(
        description=gettext_lazy("State"),
        label={"valid": "success", "revoked": "danger", "expired": "warning"},
    )
    def state(self, token: PartnerToken) -> str:
        if token.revoked_at:
            return "revoked"
        return "valid" if token.expires_at > timezone.now() else "expired"
