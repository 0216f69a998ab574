"""One person, many spellings of an address. Pure but for one setting."""

from django.conf import settings


def key_of(email: str) -> str:
    """What all spellings of one person's address have in common.

    Case and spaces around it never matter; a tag after a plus does where the operator says so.
    """
    local, _at, domain = email.strip().casefold().rpartition("@")
    if settings.LIMIT_IGNORES_PLUS_TAGS:
        # An address that is nothing but a tag keeps it.
        local = local.partition("+")[0] or local
    return f"{local}@{domain}"
