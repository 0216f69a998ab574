"""A crowd of fans at the door of the shop, as a process of its own: `python -m tests.bench.crowd`.

Reads an Errand as a line of JSON, keeps `connections` open, asks on each one thing after the other,
and writes what it saw. An answer that is neither of those that an errand allows ends it with an
error.
"""

import asyncio
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from tests.bench.line import Line, UnexpectedAnswer

TAKEN = re.compile(r"^location: \S+[?&]taken=\d|^HTTP/1.1 409 ", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ask:
    """One fan's wish: the token that his browser got with the page, and the form without it."""

    token: str
    form: str


@dataclass(frozen=True, slots=True)
class Errand:
    host: str
    port: int
    connections: int
    # Where the form goes.
    action: str
    # Where a fan is sent whose wish was granted.
    leads_to: str
    asks: list[Ask]
    # Whether "taken" is an answer; without it every wish must be granted.
    may_be_refused: bool = False
    # How often somebody comes, however fast the shop is; 0 means as soon as a line is free. A
    # latency counts from when he came, so a shop that stands is not spared those who wait.
    per_second: float = 0
    # Go on until the standard input ends, if the asks last that long.
    until_told: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    seconds: float
    # Latencies of those whose wish was granted, and of those who were told that it is taken.
    won_ms: list[float]
    refused_ms: list[float]


async def ask(line: Line, errand: Errand, wish: Ask) -> bool:
    """Whether the wish was granted."""
    form = f"csrfmiddlewaretoken={wish.token}&{wish.form}"
    answer = await line.post(errand.action, form, {"csrftoken": wish.token})
    if errand.may_be_refused and TAKEN.search(answer.head):
        return False
    if not answer.leads_to.startswith(errand.leads_to):
        raise UnexpectedAnswer(f"{errand.action} answered\n{answer}")
    return True


async def send(errand: Errand) -> Seen:
    lines = [Line(errand.host, errand.port) for _ in range(errand.connections)]
    await asyncio.gather(*(line.open() for line in lines))
    began = time.perf_counter()
    asks, seen = _coming(errand, began), Seen(0, [], [])
    async with asyncio.TaskGroup() as group:
        for line in lines:
            group.create_task(_keep_asking(line, errand, asks, seen))
    return replace(seen, seconds=time.perf_counter() - began)


def _coming(errand: Errand, began: float) -> Iterator[tuple[float, Ask]]:
    """Everybody who asks, and the moment when he comes; 0 is as soon as a line is free."""
    told = threading.Event()
    if errand.until_told:
        threading.Thread(target=_listen, args=[told], daemon=True).start()
    for number, ask in enumerate(errand.asks):
        if told.is_set():
            return
        yield began + number / errand.per_second if errand.per_second else 0, ask
    if errand.until_told:
        raise UnexpectedAnswer("everybody has asked, and nobody said that it is over")


def _listen(told: threading.Event) -> None:
    sys.stdin.read()
    told.set()


async def _keep_asking(
    line: Line, errand: Errand, asks: Iterator[tuple[float, Ask]], seen: Seen
) -> None:
    for due, wish in asks:
        await asyncio.sleep(max(0, due - time.perf_counter()))
        began = due or time.perf_counter()
        won = await ask(line, errand, wish)
        (seen.won_ms if won else seen.refused_ms).append((time.perf_counter() - began) * 1000)


def main() -> None:
    told = json.loads(sys.stdin.readline())
    errand = Errand(**told | {"asks": [Ask(**ask) for ask in told["asks"]]})
    try:
        seen = asyncio.run(send(errand))
    except* UnexpectedAnswer as answers:
        sys.exit(str(answers.exceptions[0]))
    json.dump(asdict(seen), sys.stdout)


if __name__ == "__main__":
    main()
