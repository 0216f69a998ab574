from typing import Any

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_staff = models.BooleanField(default=False, help_text="May enter the admin.")
    is_active = models.BooleanField(default=True, help_text="Unset this instead of deleting.")
    joined_at = models.DateTimeField(default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []
    objects = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="accounts_one_user_per_email")]

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.name or self.email


class Partner(models.Model):
    """Who holds places through the API; what it holds is its own, whichever token it showed."""

    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(Lower("name"), name="accounts_one_partner_per_name")]

    def __str__(self) -> str:
        return self.name


class Scope(models.TextChoices):
    EVENTS_READ = "events:read", "look at events and at what is free"
    HOLDS_READ = "holds:read", "look at its own holds"
    HOLDS_WRITE = "holds:write", "hold places, change its holds, let them go"


class PartnerToken(models.Model):
    """The right to use the API in a partner's name. Of the token itself only a hash is kept."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    requests_per_minute = models.PositiveIntegerField(default=600)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    # Written seldom: some minutes may be missing.
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="accounts_token_scopes_are_known",
                condition=Q(scopes__contained_by=Scope.values) & ~Q(scopes=[]),
            ),
            models.CheckConstraint(
                name="accounts_token_allows_requests", condition=Q(requests_per_minute__gte=1)
            ),
            models.CheckConstraint(
                name="accounts_token_ends_after_it_began",
                condition=Q(expires_at__gt=F("created_at")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.partner}, token {self.pk}"
