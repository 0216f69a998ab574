"""Asking twice is asking once.

A caller names a wish with a key. The row that the wish made keeps the key and a fingerprint of the
wish: the same key with the same wish is answered with that row, with another wish it is refused.
"""

import hashlib
import json
from typing import Any

MAX_KEY = 200


class KeyReused(Exception):
    """The key was used before, for another wish: take a new key."""


def fingerprint(**wish: Any) -> str:
    """Fold a wish (JSON values by name) into 64 hex digits; equal wishes fold equally."""
    text = json.dumps(wish, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
