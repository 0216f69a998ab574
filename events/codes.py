"""Presale codes: how they look, and what is kept of them. Pure.

What is kept is a hash under the installation's secret key, so a copy of the database tells no code,
and cannot be used to try words. A code made here is too long to be guessed; a word chosen by
somebody is not, which is why attempts are counted.
"""

import secrets
import unicodedata

from django.conf import settings
from django.utils.crypto import salted_hmac

# No vowels and nothing that looks like something else: it is typed from letters and posters.
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ"
GROUPS, GROUP = 3, 4
SALT = "events.codes"
# Of a chosen word, without what does not count.
SHORTEST = 6
LONGEST = 100


def generate() -> str:
    """A new code, of 57 random bits: BK7M-2QXD-9RTV."""
    signs = [secrets.choice(ALPHABET) for _ in range(GROUPS * GROUP)]
    return "-".join("".join(signs[i : i + GROUP]) for i in range(0, len(signs), GROUP))


def normalized(text: str) -> str:
    """What counts of a code as somebody typed it: spaces, dashes and case do not."""
    signs = unicodedata.normalize("NFKC", text[:LONGEST]).casefold()
    return "".join(sign for sign in signs if sign.isalnum())


def digest(text: str) -> str:
    """What is kept of a new code."""
    return _digest(text, settings.SECRET_KEY)


def digests(text: str) -> list[str]:
    """What may have been kept of this code: under the present key, or one that is rotated out."""
    return [_digest(text, key) for key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]]


def _digest(text: str, key: str | bytes) -> str:
    return salted_hmac(SALT, normalized(text), secret=key, algorithm="sha256").hexdigest()
