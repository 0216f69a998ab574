"""Figures for Prometheus, summed over all processes of one machine.

Each app declares its own in its `metrics.py`, out of the kinds named here; `exposition` is what a
scrape gets. Web, worker and ticker processes write into files of one folder, so that any web
process can answer for all of them. A label is one of a few words, never a person or an address.
"""

import os
from pathlib import Path

from django.conf import settings

if settings.METRICS_DIR:
    Path(settings.METRICS_DIR).mkdir(parents=True, exist_ok=True)
    # The library chooses files or memory when it is first imported.
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", settings.METRICS_DIR)

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

__all__ = ["CONTENT_TYPE_LATEST", "SECONDS", "Counter", "Gauge", "Histogram", "exposition"]

# From a quick answer to one that a fan gives up on.
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


def exposition() -> bytes:
    """Every figure of this machine, in the text format of Prometheus."""
    if not settings.METRICS_DIR:
        return generate_latest(REGISTRY)
    _forget_the_dead(Path(settings.METRICS_DIR))
    registry = CollectorRegistry()
    MultiProcessCollector(registry, settings.METRICS_DIR)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _forget_the_dead(folder: Path) -> None:
    """What a process does now ends with it, also when it was killed in the middle."""
    for file in folder.glob("gauge_live*_*.db"):
        pid = int(file.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]
        except PermissionError:
            continue
