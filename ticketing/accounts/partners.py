"""Partners' tokens: made and shown once, recognised, revoked."""

import hashlib
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from ticketing.accounts.models import Partner, PartnerToken, Scope

# Tells a token from other secrets at a glance, also whoever searches a leak for them.
PREFIX = "tkt_"
# 256 random bits: nothing to guess, so a plain hash is enough.
RANDOM_BYTES = 32
LOOKS_LIKE_ONE = re.compile(rf"{PREFIX}[\w-]{{43}}", re.ASCII)
# Who used a token when is worth knowing to this, and a write for each request is not.
USED_TO_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Caller:
    """The partner of one request, and what the token that it showed may do."""

    partner_id: int
    token_id: int
    scopes: frozenset[str]
    requests_per_minute: int

    @property
    def owner(self) -> str:
        """The name under which the partner holds places."""
        return f"partner:{self.partner_id}"

    # What REST framework asks of whoever a request is from.
    is_authenticated = True


def make(
    *,
    partner: str,
    scopes: Collection[Scope],
    requests_per_minute: int,
    at: datetime,
    lifetime: timedelta,
) -> tuple[int, str]:
    """Make a token for the partner of this name, who is new or known; returns its id and itself.

    Nobody can see it a second time.
    """
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    with transaction.atomic(durable=True):
        found = Partner.objects.filter(name__iexact=partner).first()
        made = PartnerToken.objects.create(
            partner=found or Partner.objects.create(name=partner),
            digest=_digest(token),
            scopes=sorted(scopes),
            requests_per_minute=requests_per_minute,
            created_at=at,
            expires_at=at + lifetime,
        )
    return made.pk, token


def recognise(token: str, *, at: datetime) -> Caller | None:
    """Whose token this is; None if it is nobody's, expired or revoked."""
    if not LOOKS_LIKE_ONE.fullmatch(token):
        return None
    found = PartnerToken.objects.filter(
        digest=_digest(token), revoked_at=None, expires_at__gt=at
    ).first()
    if found is None:
        return None
    stale = Q(last_used_at=None) | Q(last_used_at__lt=at - USED_TO_WITHIN)
    if found.last_used_at is None or found.last_used_at < at - USED_TO_WITHIN:
        PartnerToken.objects.filter(stale, pk=found.pk).update(last_used_at=at)
    return Caller(found.partner_id, found.pk, frozenset(found.scopes), found.requests_per_minute)


def revoke(*, token_ids: Collection[int], at: datetime) -> int:
    """End these tokens now; returns how many were not revoked before."""
    return PartnerToken.objects.filter(pk__in=token_ids, revoked_at=None).update(revoked_at=at)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
