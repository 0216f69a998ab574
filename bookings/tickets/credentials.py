"""The code that proves a ticket: random, so that knowing one says nothing about any other."""

import secrets

# Crockford's base 32: without I, L, O and U, which people misread. All of it is in the QR
# standard's alphanumeric mode, which keeps the picture coarse and quick to scan.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# 28 characters of 5 bits are 140 bits, and seven even groups on paper.
LENGTH = 28
_GROUP = 4


def new_code() -> str:
    """A code nobody can guess: 140 bits from the system's source of randomness."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def grouped(code: str) -> str:
    """The code as people read it out: in groups of four."""
    return " ".join(code[start : start + _GROUP] for start in range(0, len(code), _GROUP))
