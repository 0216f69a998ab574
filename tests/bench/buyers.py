"""Buyers, from the hold to the page that says "booked": `python -m tests.bench.buyers`.

Reads an Errand as a line of JSON, keeps `connections` of them busy, and writes what they saw. An
answer that leads anywhere else ends it with an error.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from urllib.parse import urlencode, urlsplit

from tests.bench.crowd import Ask, Seen
from tests.bench.line import Answer, Line, UnexpectedAnswer

CARD = urlencode({"card": "4242424242424242"})


@dataclass(frozen=True, slots=True)
class Errand:
    host: str
    port: int
    provider_port: int
    connections: int
    action: str
    asks: list[Ask]


async def send(errand: Errand) -> Seen:
    asks, took = iter(errand.asks), list[float]()
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(errand.connections):
            group.create_task(_keep_buying(errand, asks, took))
    return Seen(time.perf_counter() - began, took, [])


async def _keep_buying(errand: Errand, asks: Iterator[Ask], took: list[float]) -> None:
    shop = Line(errand.host, errand.port)
    provider = Line(errand.host, errand.provider_port)
    await asyncio.gather(shop.open(), provider.open())
    for ask in asks:
        began = time.perf_counter()
        await _buy(shop, provider, errand.action, ask)
        took.append((time.perf_counter() - began) * 1000)


async def _buy(shop: Line, provider: Line, action: str, ask: Ask) -> None:
    token = f"csrfmiddlewaretoken={ask.token}"
    cookies = {"csrftoken": ask.token}
    held = await shop.post(action, f"{token}&{ask.form}", cookies)
    cookies |= held.cookies
    buyer = {"email": f"{ask.token}@example.org", "name": "Ada", "accept_terms": "on"}
    page = f"{_path(held, '/your-seats/')}checkout/"
    started = await shop.post(page, f"{token}&{urlencode(buyer)}", cookies)
    paid = await provider.post(_path(started, "/_checkout/"), CARD, {})
    booked = await shop.get(_path(paid, "/bookings/"), cookies)
    if not booked.leads_to.endswith("?fresh=1"):
        raise UnexpectedAnswer(f"the seats were not booked:\n{booked}")


def _path(answer: Answer, expected: str) -> str:
    path = urlsplit(answer.leads_to).path
    if not path.startswith(expected):
        raise UnexpectedAnswer(f"expected the way to {expected}, and was told\n{answer}")
    return path


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
