"""Sides that take turns, so that whatever else the machine does hits all of them alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

TURNS = 5
SECONDS = 3
# Enough to fill caches, prepare statements and see roughly how fast a side is.
WARM_UP = 400
# Whose CPU is ours, and not the load's.
OURS = ("app", "worker", "sweeper", "ticker", "beat", "postgres", "valkey")


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

    @property
    def cost(self) -> float:
        """The CPU of all that is ours for one operation."""
        return sum(self.cpu.get(part, 0) for part in OURS) / self.operations

    @property
    def p95_ms(self) -> float:
        return self.latency_ms(95)

    def latency_ms(self, percent: int) -> float:
        return quantiles(self.latencies_ms, n=100)[percent - 1]


@dataclass(frozen=True, slots=True)
class Side:
    """One way to do the thing; `run` does it so many times and checks that all of it was done."""

    name: str
    run: Callable[[int], Turn]


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What of two turns is compared, and what the line calls it."""

    of: Callable[[Turn], float]
    said: str = ""


RATE = Yardstick(lambda turn: turn.rate)
COST = Yardstick(lambda turn: turn.cost, "the CPU of ")
P95 = Yardstick(lambda turn: turn.p95_ms, "the p95 of ")


@dataclass(frozen=True, slots=True)
class Figure:
    """What the turns of one side say together; each value is a median over them."""

    name: str
    # Operations a second, or what `unit` says.
    value: float
    p50_ms: float
    p95_ms: float
    cpu_us: Mapping[str, float]
    runs: int
    # The side that it is measured against, by what, and this as a part of that one's.
    of: str | None = None
    by: Yardstick = RATE
    ratio: float | None = None
    unit: str = "1/s"


def compare(reference: Side, *measured: Side, most: int, by: Yardstick = RATE) -> Iterator[Figure]:
    """Let all take turns of about SECONDS, of at most `most` operations."""
    sizes = {side.name: _size(side, most) for side in (reference, *measured)}
    turns = take_turns([reference, *measured], sizes)
    yield figure(reference.name, turns[reference.name])
    for side in measured:
        yield figure(
            side.name,
            turns[side.name],
            of=reference.name,
            by=by,
            ratio=ratio(turns[side.name], turns[reference.name], by),
        )


def take_turns(sides: Sequence[Side], sizes: Mapping[str, int]) -> dict[str, list[Turn]]:
    turns: dict[str, list[Turn]] = {side.name: [] for side in sides}
    for _ in range(TURNS):
        for side in sides:
            turns[side.name].append(side.run(sizes[side.name]))
    return turns


def ratio(measured: Sequence[Turn], reference: Sequence[Turn], by: Yardstick) -> float:
    """The median over pairs of turns that were neighbours."""
    pairs = zip(measured, reference, strict=True)
    return median(by.of(one) / by.of(other) for one, other in pairs)


def figure(
    name: str,
    turns: Sequence[Turn],
    *,
    of: str | None = None,
    by: Yardstick = RATE,
    ratio: float | None = None,
) -> Figure:
    return Figure(
        name=name,
        value=median(turn.rate for turn in turns),
        p50_ms=median(turn.latency_ms(50) for turn in turns),
        p95_ms=median(turn.p95_ms for turn in turns),
        cpu_us={
            part: median(turn.cpu[part] / turn.operations * 1e6 for turn in turns)
            for part in turns[0].cpu
        },
        runs=len(turns),
        of=of,
        by=by,
        ratio=ratio,
    )


def _size(side: Side, most: int) -> int:
    return min(most, max(WARM_UP, int(side.run(WARM_UP).rate * SECONDS)))
