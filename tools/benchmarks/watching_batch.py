"""What the store adds to `llm-output batch`, with and without in turn: `python -m tools.benchmarks.watching_batch`."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.recorded import PACKAGED, packaged

TEXTS, ROUNDS, WORKERS = 8_000, 5, 2


def write_rows(file: Path) -> None:
    """The recordings of all agents, again and again."""
    rows = [
        json.dumps({"agent": name, "model": "m", "text": read_source(str(PACKAGED / name / one.file)).text})
        for name, manifest in packaged().items()
        for one in manifest.recordings
    ]
    file.write_text("\n".join(islice(cycle(rows), TEXTS)), encoding="utf-8")


def batch(source: Path, out: Path, url: str) -> tuple[float, float]:
    """Seconds by the clock, and of the processor in all processes."""
    command = [sys.executable, "-m", "src.entrypoints.cli.main", "batch", str(source), "--out", str(out)]
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603 - our own
        [*command, "--workers", str(WORKERS)],
        env=os.environ | {"OUTPUT_STORE_URL": url},
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, worked


def main() -> None:
    """Take turns, and print medians."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / "in.jsonl")
        turns = [
            [batch(folder / "in.jsonl", folder / f"{kind}{turn}", url) for kind, url in (("a", ""), ("b", store))]
            for turn in range(ROUNDS)
            for store in (f"sqlite:///{folder}/{turn}.db",)
        ]
    for at, what in enumerate(("by the clock", "by the processor, all processes")):
        without, with_ = (statistics.median(turn[side][at] for turn in turns) for side in (0, 1))
        ratio = statistics.median(turn[1][at] / turn[0][at] for turn in turns)
        print(f"{TEXTS:,} texts, {what}: {without:.2f} s without a store, {with_:.2f} s with one, ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
