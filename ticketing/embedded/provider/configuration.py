"""Where the provider keeps its state, shows its pages and sends its webhooks."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ticketing.embedded.provider.store import Endpoint


@dataclass(frozen=True, slots=True)
class Configuration:
    state: Path
    base_url: str
    endpoint: Endpoint | None


@cache
def read() -> Configuration:
    """The environment, read once; what is missing is named."""
    missing = [name for name in ("PROVIDER_STATE", "PROVIDER_BASE_URL") if not os.environ.get(name)]
    if missing:
        raise SystemExit(f"The local payment provider needs {' and '.join(missing)} to be set.")
    url = os.environ.get("PROVIDER_WEBHOOK_URL", "")
    secret = os.environ.get("PROVIDER_WEBHOOK_SECRET", "")
    if url and not secret:
        raise SystemExit("PROVIDER_WEBHOOK_URL is set: set PROVIDER_WEBHOOK_SECRET as well.")
    return Configuration(
        state=Path(os.environ["PROVIDER_STATE"]),
        base_url=os.environ["PROVIDER_BASE_URL"].rstrip("/"),
        endpoint=Endpoint(url, secret) if url else None,
    )
