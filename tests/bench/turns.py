"""Sides that take turns, so that whatever else the machine does hits both alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

TURNS = 5
SECONDS = 3
# Enough to fill caches, prepare statements and see roughly how fast a side is.
WARM_UP = 400


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side did in one turn."""

    operations: int
    seconds: float
    latencies_ms: Sequence[float]
    # Seconds, by part.
    cpu: Mapping[str, float]

    @property
    def rate(self) -> float:
        return self.operations / self.seconds

    def latency_ms(self, percent: int) -> float:
        return quantiles(self.latencies_ms, n=100)[percent - 1]


@dataclass(frozen=True, slots=True)
class Side:
    """One way to do the thing; `run` does it so many times and checks that all of it was done."""

    name: str
    run: Callable[[int], Turn]


@dataclass(frozen=True, slots=True)
class Figure:
    """What the turns of one side say together; each value is a median over them."""

    name: str
    # Operations a second.
    value: float
    p50_ms: float
    p95_ms: float
    cpu_us: Mapping[str, float]
    runs: int
    # The side that it is measured against, and this rate as a part of that one's.
    of: str | None = None
    ratio: float | None = None


def compare(reference: Side, measured: Side, *, most: int) -> Iterator[Figure]:
    """Let both take turns of about SECONDS, of at most `most` operations."""
    sizes = {side.name: _size(side, most) for side in (reference, measured)}
    turns: dict[str, list[Turn]] = {side.name: [] for side in (reference, measured)}
    for _ in range(TURNS):
        for side in (reference, measured):
            turns[side.name].append(side.run(sizes[side.name]))
    pairs = zip(turns[measured.name], turns[reference.name], strict=True)
    ratio = median(one.rate / other.rate for one, other in pairs)
    yield _figure(reference.name, turns[reference.name])
    yield _figure(measured.name, turns[measured.name], of=reference.name, ratio=ratio)


def _size(side: Side, most: int) -> int:
    return min(most, max(WARM_UP, int(side.run(WARM_UP).rate * SECONDS)))


def _figure(
    name: str, turns: Sequence[Turn], *, of: str | None = None, ratio: float | None = None
) -> Figure:
    return Figure(
        name=name,
        value=median(turn.rate for turn in turns),
        p50_ms=median(turn.latency_ms(50) for turn in turns),
        p95_ms=median(turn.latency_ms(95) for turn in turns),
        cpu_us={
            part: median(turn.cpu[part] / turn.operations * 1e6 for turn in turns)
            for part in turns[0].cpu
        },
        runs=len(turns),
        of=of,
        ratio=ratio,
    )
