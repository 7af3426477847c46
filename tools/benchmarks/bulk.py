"""Reading in bulk: `.cache/bench/bin/python -m tools.benchmarks.bulk [--repeats 2] [--sizes 25MB,250MB] [--texts N]`.

Prints the tables of docs/explanation/bulk.md. `--repeats 0` leaves the times out, `--sizes ""` the memory. Linux only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path

from tools.benchmarks.accuracy import CORPUS
from tools.benchmarks.bulk_runs import LOOPS, OURS, ROOT, Took, batch, loops, write_lines
from tools.benchmarks.environment import machine
from tools.benchmarks.report import table

_UNITS = {"KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}
_MEBIBYTE = 1024 * 1024
_MOST_MEMORY, _LEAST_SPEED_UP, _MOST_OVERHEAD = 1024 * _MEBIBYTE, 1.8, 0.15
"""What the project promises of itself."""

Runs = dict[str, Took]


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.bulk")
    parser.add_argument("--repeats", type=int, default=2, help="turns of the timed runs; the least time counts")
    parser.add_argument("--sizes", type=_sizes, default="25MB,250MB", help="of the inputs whose memory is measured")
    parser.add_argument("--texts", type=int, default=150_000, help="how many texts are timed")
    asked = parser.parse_args(arguments)
    lines = _pool()
    with tempfile.TemporaryDirectory(prefix="bulk-") as temporary:
        last = ""
        for line in _printed(asked, lines, Path(temporary)):
            if line or last:
                print(line, flush=True)
            last = line
    return 0


def _printed(asked: argparse.Namespace, lines: list[bytes], folder: Path) -> Iterator[str]:
    facts = {**machine(), "wanting to run": f"{os.getloadavg()[0]:.1f} processes in the last minute"}
    yield from (f"- {name}: {value}" for name, value in facts.items() if name != "node")
    yield f"- {len(lines):,} different texts, {sum(map(len, lines)) / _UNITS['MB']:.1f} MB of JSON lines"
    if asked.repeats:
        yield from _times(list(islice(cycle(lines), asked.texts)), folder, asked.repeats)
    if asked.sizes:
        yield from _memory(lines, folder, asked.sizes)


def _times(lines: list[bytes], folder: Path, repeats: int) -> Iterator[str]:
    ways = _ways(lines, folder)
    best: Runs = {}
    for _ in range(repeats):
        for name, way in ways.items():
            best[name] = _better(best.get(name), way())
    yield from ("", f"## Texts a second: {len(lines):,} texts, the best of {repeats} turns", "")
    header = ("read by", "seconds", "of processor", "a second", "a second of processor", "objects and lists")
    shown = [name for name in best if not name.startswith("start")]
    yield from table(header, (_row(name, best[name]) for name in shown))
    for absent in (name for name in LOOPS if name not in best):
        yield f"absent: {absent}"
    yield from ("", "## What the engine adds", "")
    columns = ("processor", "wall", "processor, started", "wall, started", "processor a text, started")
    rows = [_added("all texts", best, ""), _added("those that are JSON as they stand", best, ", clean")]
    yield from table(("beside the bare loop", *columns), rows)
    speed_up = best["batch, 1 worker"].wall / best["batch, 2 workers"].wall
    bare = 2 * best[OURS].wall / best["two loops"].wall
    yield (
        f"two workers beside one: × {speed_up:.2f} ({_met(speed_up >= _LEAST_SPEED_UP)}); "
        f"two bare loops beside one: × {bare:.2f}"
    )
    overhead = _overhead(best, "", started=False).cpu
    yield f"processor time beside the bare loop: {overhead:+.0%} ({_met(overhead <= _MOST_OVERHEAD)})"


def _ways(lines: list[bytes], folder: Path) -> dict[str, Callable[[], Took]]:
    """What is timed, by name, in the order of a turn."""
    every, clean, one = (folder / name for name in ("all.jsonl", "clean.jsonl", "one.jsonl"))
    every.write_bytes(b"".join(lines))
    clean.write_bytes(b"".join(line for line in lines if _is_clean(line)))
    one.write_bytes(lines[0])

    def loop(name: str, file: Path) -> Callable[[], Took]:
        return lambda: loops(name, [file])[0]

    def two_loops() -> Took:
        first, second = loops(OURS, [every, every])
        return Took(max(first.wall, second.wall), first.cpu + second.cpu, 2 * first.texts, 2 * first.read)

    present = (name for name, (module, _) in LOOPS.items() if find_spec(module))
    return {
        **{name: loop(name, every) for name in present},
        "two loops": two_loops,
        "batch, 1 worker": lambda: batch(every, 1),
        "batch, 2 workers": lambda: batch(every, 2),
        f"{OURS}, clean": loop(OURS, clean),
        "batch, 1 worker, clean": lambda: batch(clean, 1),
        "start, 1 worker": lambda: batch(one, 1),
    }


def _memory(lines: list[bytes], folder: Path, sizes: dict[str, int]) -> Iterator[str]:
    yield from ("", "## Memory of all processes, two workers", "")
    most = 0
    rows: list[tuple[str, ...]] = []
    for name, size in sizes.items():
        file = folder / "repeated.jsonl"
        write_lines(file, lines, size)
        took = batch(file, 2, sampled=True)
        file.unlink()
        most = max(most, took.memory)
        rows.append((name, f"{took.texts:,}", f"{took.memory / _MEBIBYTE:.0f} MiB", f"{took.wall:,.0f}"))
    yield from table(("input", "texts", "at most", "seconds"), rows)
    yield from ("", f"at most {most / _MEBIBYTE:.0f} MiB ({_met(most <= _MOST_MEMORY)})")


def _row(name: str, took: Took) -> tuple[str, ...]:
    rates = (f"{took.texts / took.wall:,.0f}", f"{took.texts / took.cpu:,.0f}")
    return name, f"{took.wall:.2f}", f"{took.cpu:.2f}", *rates, f"{took.read:,} of {took.texts:,}"


def _added(label: str, best: Runs, group: str) -> tuple[str, ...]:
    whole, started = _overhead(best, group, started=False), _overhead(best, group, started=True)
    loop = best[f"{OURS}{group}"]
    micro = started.cpu * loop.cpu / loop.texts * 1e6
    shares = (f"{each:+.0%}" for each in (whole.cpu, whole.wall, started.cpu, started.wall))
    return label, *shares, f"{micro:+.0f} µs"


def _overhead(best: Runs, group: str, *, started: bool) -> Took:
    """How much more a run takes than the loop, as a share of the loop; without its start, if it is `started`."""
    loop, run = best[f"{OURS}{group}"], best[f"batch, 1 worker{group}"]
    start = best["start, 1 worker"] if started else Took(0, 0, 0, 0)
    return Took((run.wall - start.wall) / loop.wall - 1, (run.cpu - start.cpu) / loop.cpu - 1, run.texts, run.read)


def _better(one: Took | None, other: Took) -> Took:
    """The least time of each kind."""
    return other._replace(wall=min(one.wall, other.wall), cpu=min(one.cpu, other.cpu)) if one else other


def _is_clean(line: bytes) -> bool:
    try:
        return isinstance(json.loads(json.loads(line)["text"]), dict | list)
    except ValueError:
        return False


def _met(is_met: bool) -> str:  # noqa: FBT001 - the one thing it is about
    return "as promised" if is_met else "MISSED"


def _pool() -> list[bytes]:
    file = CORPUS / "pool_30k.jsonl.gz"
    if file.is_file():
        with gzip.open(file) as lines:
            return list(lines)
    return (ROOT / "tests/corpus/own/outputs.jsonl").read_bytes().splitlines(keepends=True)


def _sizes(text: str) -> dict[str, int]:
    return {size: int(size[:-2]) * _UNITS[size[-2:]] for size in text.split(",") if size}


if __name__ == "__main__":
    sys.exit(main())
