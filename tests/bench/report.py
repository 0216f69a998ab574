"""Figures as lines for people and as JSON for whoever compares them."""

import json
from collections.abc import Iterable
from typing import Any

from tests.bench.turns import Figure
from ticketing.embedded import runtime

LATEST = runtime.VAR / "bench" / "latest.json"
# Shown on the line; the file has all parts.
SHOWN = {"app": "app", "postgres": "pg"}


def line(figure: Figure) -> str:
    value = f"{figure.value:.0f}/s" if figure.unit == "1/s" else f"{figure.value:.1f} {figure.unit}"
    parts = [f"bench: {figure.name}", value]
    if figure.ratio is not None:
        parts.append(f"{figure.ratio:.2f} of {figure.by.said}{figure.of}")
    parts.append(f"p95 {_short(figure.p95_ms)} ms")
    costs = [
        f"{short} {_short(figure.cpu_us[part] / 1000)} ms"
        for part, short in SHOWN.items()
        if figure.cpu_us[part] >= 1
    ]
    return "   ".join([*parts, f"{'  '.join(costs)} each"])


def _short(value: float) -> str:
    """Two digits where they mean something, no fraction of what is large."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def write(figures: Iterable[Figure]) -> None:
    """Replace what the run before said."""
    LATEST.parent.mkdir(parents=True, exist_ok=True)
    entries = {figure.name: _entry(figure) for figure in figures}
    LATEST.write_text(json.dumps(entries, indent=2) + "\n")


def _entry(figure: Figure) -> dict[str, Any]:
    against = {}
    if figure.ratio is not None:
        against = {"of": f"{figure.by.said}{figure.of}", "ratio": round(figure.ratio, 3)}
    return {
        "value": round(figure.value, 1),
        "unit": figure.unit,
        **against,
        "p50_ms": round(figure.p50_ms, 2),
        "p95_ms": round(figure.p95_ms, 2),
        "cpu_us": {part: round(used) for part, used in figure.cpu_us.items()},
        "runs": figure.runs,
    }
