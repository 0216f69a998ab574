"""Where the running services are: one file a set of services, under `var/run/`."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(name: str) -> dict[str, str]:
    """The variables that lead to the services called `name`; empty when none is running."""
    try:
        return dict(json.loads((ROOT / "var" / "run" / f"{name}.json").read_text()))
    except FileNotFoundError:
        return {}
