"""Run the families that were asked for, on a box office of their own."""

import sys
from importlib import import_module

from tests.bench import report
from tests.bench.errors import BenchError
from tests.bench.office import opened
from ticketing.embedded import EmbeddedError

# A family is the module of that name here; its `measure` yields figures.
FAMILIES = ["hold", "pool", "expiry", "rows", "purchase"]


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in FAMILIES]
    if unknown:
        sys.exit(f"bench: there is no `{unknown[0]}`. Choose one of: {', '.join(FAMILIES)}")
    figures = []
    try:
        with opened() as office:
            for name in names or FAMILIES:
                # Only now: models can be imported once the database's address is known.
                for figure in import_module(f"tests.bench.{name}").measure(office):
                    print(report.line(figure), flush=True)
                    figures.append(figure)
    except (BenchError, EmbeddedError) as error:
        sys.exit(f"bench: {error}")
    report.write(figures)


if __name__ == "__main__":
    main(sys.argv[1:])
