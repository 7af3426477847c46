"""What a provider's response can do to the process that asked for it, measured.

`python -m tools.attack.responses` asks a server for each response of `tools/attack/hostile_server.py`, as a whole body
and as a stream. It measures how long it takes until there is an error, by how much the process grows, and how long the
other tasks of the event loop have to wait meanwhile. The exit code says whether any of that was over its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.processes import ending
from tools.attack.delays import delays
from tools.attack.hostile_server import MEGABYTE, RESPONSES, path_of
from tools.attack.quiet import quiet
from tools.attack.tables import table

TIMEOUT = 2.0
"""Seconds that a call may take."""
MOST_SECONDS_MORE = 1.0
MOST_MEGABYTES = 200
MOST_DELAY = 0.1
"""Seconds by which another task of the loop may come too late."""
MEASURED_AGAIN = 3
"""How often a measurement is made before it is believed: other programs make a machine slow."""
WHOLE, STREAM = "whole", "stream"
_TICK = 0.002
_SERVER = (sys.executable, "-m", "tools.attack.hostile_server")
_HIGH_WATER = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


class Measured(NamedTuple):
    """One response."""

    name: str
    way: str
    ended: str
    seconds: float
    megabytes: float
    delay: float

    @property
    def is_within_bounds(self) -> bool:
        """Whether nothing was too much."""
        in_time = self.seconds <= TIMEOUT + MOST_SECONDS_MORE
        return in_time and self.megabytes <= MOST_MEGABYTES and self.delay <= MOST_DELAY


def measure_all(names: list[str] | None = None) -> list[Measured]:
    """Measure every response, or those of these names."""
    with hostile_server() as address:
        return [_believed(address, name, way) for name in names or RESPONSES for way in (WHOLE, STREAM)]


@contextmanager
def hostile_server() -> Iterator[str]:
    """Start the server; its address."""
    with ending(subprocess.Popen(_SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)) as server:  # noqa: S603 - ours
        assert server.stdin is not None  # noqa: S101 - asked for
        assert server.stdout is not None  # noqa: S101 - as above
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"


def _believed(address: str, name: str, way: str) -> Measured:
    for _ in range(MEASURED_AGAIN):
        measured = asyncio.run(_measure(address, name, way))
        if measured.is_within_bounds:
            break
    return measured


async def _measure(address: str, name: str, way: str) -> Measured:
    url = f"{address}/{path_of(name)}/v1"
    stream = way == STREAM
    settings = LLMSettings(_env_file=None, base_url=url, model="m", timeout=TIMEOUT, max_attempts=1, stream=stream)
    async with OpenAICompatibleLLM(settings) as llm:
        gc.collect()
        before = _peak_from_now()
        async with delays(_TICK) as delay:
            started = time.perf_counter()
            try:
                reply = await llm.generate(LLMRequest.of("?"))
                ended = repr(reply.text[:20])
            except AppException as error:
                ended = error.code
            seconds = time.perf_counter() - started
    return Measured(name, way, ended, seconds, (_peak() - before) / MEGABYTE, delay.seconds)


def _peak_from_now() -> int:
    """Forget the most bytes that this process has held until now; how many it holds."""
    _RESET.write_text("5")
    return _peak()


def _peak() -> int:
    """The most bytes that this process has held."""
    line = next(line for line in _HIGH_WATER.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def report(measured: list[Measured]) -> str:
    """Lay the measurements out."""
    header = ("response", "as", "ended", "s", "MiB more", "delay, ms", "")
    rows = [
        (
            row.name,
            row.way,
            row.ended,
            f"{row.seconds:.2f}",
            f"{row.megabytes:.0f}",
            f"{row.delay * 1000:.0f}",
            "" if row.is_within_bounds else "TOO MUCH",
        )
        for row in measured
    ]
    return table(header, rows)


def main(arguments: list[str] | None = None) -> int:
    """Measure; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack.responses")
    parser.add_argument("names", nargs="*", help="responses to measure; all of them by default")
    measured = measure_all(parser.parse_args(arguments).names)
    print(report(measured))
    return int(not all(row.is_within_bounds for row in measured))


if __name__ == "__main__":
    quiet()
    sys.exit(main())
