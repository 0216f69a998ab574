"""Partners' tokens: made and shown once, recognised, revoked."""

import hashlib
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction

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


# In SQL, since every request of a partner begins with it.
RECOGNISE = """
SELECT partner_id, id, scopes, requests_per_minute, last_used_at FROM accounts_partnertoken
WHERE digest = %s AND revoked_at IS NULL AND expires_at > %s
"""


def recognise(token: str, *, at: datetime) -> Caller | None:
    """Whose token this is; None if it is nobody's, expired or revoked."""
    if not LOOKS_LIKE_ONE.fullmatch(token):
        return None
    with connection.cursor() as cursor:
        cursor.execute(RECOGNISE, [_digest(token), at])
        found = cursor.fetchone()
    if found is None:
        return None
    partner_id, token_id, scopes, requests_per_minute, last_used_at = found
    if last_used_at is None or last_used_at < at - USED_TO_WITHIN:
        PartnerToken.objects.filter(pk=token_id).update(last_used_at=at)
    return Caller(partner_id, token_id, frozenset(scopes), requests_per_minute)


def revoke(*, token_ids: Collection[int], at: datetime) -> int:
    """End these tokens now; returns how many were not revoked before."""
    return PartnerToken.objects.filter(pk__in=token_ids, revoked_at=None).update(revoked_at=at)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
