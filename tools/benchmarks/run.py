"""The command: measures, and writes the page.

python -m tools.benchmarks.run [--quick [--store]] [--sizes 2,20,200,2000] [--parts times,corpus,hostile]
    [--output FOLDER]

A quick run is compared with the stored one of this machine; the exit code is 1 where a row became slower by more than
a quarter, or where clean rows take longer than their limit.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tools.benchmarks import accuracy, clean_rows, environment, growth, guard, timing
from tools.benchmarks.documents import KB, SIZES
from tools.benchmarks.guard import OURS, Measured, Row
from tools.benchmarks.peers import PEERS
from tools.benchmarks.report import Results, page
from tools.benchmarks.timing import Plan

_ROOT = Path(__file__).parents[2]
_PARTS = ("times", "corpus", "hostile")
_FULL = Plan(rounds=15, budget=5.0, enough=0.7)
_QUICK = Plan(rounds=5, budget=1.0, enough=0.2)
_QUICK_SIZES = SIZES[:2]
_HOSTILE = ("ours", "json_repair")
_STORED = _ROOT / ".cache" / "bench" / "stored.json"


def main(arguments: list[str] | None = None) -> int:
    """Run the parts asked for; return the exit code."""
    options = _options(arguments)
    plan = _QUICK if options.quick else _FULL
    output = options.output or (_ROOT / ".cache" / "benchmarks" if options.quick else _ROOT / "docs" / "explanation")
    sizes = options.sizes or (_QUICK_SIZES if options.quick else SIZES)
    results = _measure(plan, sizes, options.parts, options.quick)
    output.mkdir(parents=True, exist_ok=True)
    (output / "benchmarks.md").write_text(page(results), "utf-8")
    print(f"written: {output / 'benchmarks.md'}")
    if not (options.quick and results.times):
        return 0
    found = guard.measured(results.times, results.growth)
    machine = guard.fingerprint(environment.machine())
    above = clean_rows.check()
    slower = guard.guard(found, options.stored, machine, lambda rows: _again(rows, plan, sizes), store=options.store)
    return int(bool(above or slower))


def _again(rows: list[Row], plan: Plan, sizes: tuple[int, ...]) -> Measured:
    """Measure some rows again, with the baseline and without the other libraries."""
    peers = tuple(peer for peer in environment.present() if peer.name in (*OURS, guard.BASELINE))
    hostile = tuple(peer for peer in peers if peer.name in {row.reader for row in rows if row.part == guard.HOSTILE})
    last = (max(sizes), "clean")
    only = {*guard.conditions_of(rows), last}
    families = guard.families_of(rows)
    return guard.measured(
        timing.measure(peers, sizes, plan, _say, only),
        growth.grow(hostile, growth.SIZES, plan.budget, _say, families, plan.rounds) if families else {},
    )


def _measure(plan: Plan, sizes: tuple[int, ...], parts: tuple[str, ...], quick: bool) -> Results:  # noqa: FBT001 - from a flag
    peers = environment.present()
    for peer in PEERS:
        if peer not in peers:
            print(f"absent: {peer.name}")
    corpus = accuracy.groups() if "corpus" in parts else ()
    if "corpus" in parts and not corpus:
        print("skipped: the corpus is absent")
    hostile = tuple(peer for peer in peers if peer.name in _HOSTILE)
    hostile_sizes = growth.SIZES[:3] if quick else growth.SIZES
    return Results(
        plan,
        peers,
        times=timing.measure(peers, sizes, plan, _say) if "times" in parts else {},
        corpus=corpus,
        counts=accuracy.count(peers, corpus, _say) if corpus else {},
        growth=growth.grow(hostile, hostile_sizes, plan.budget, _say) if "hostile" in parts else {},
    )


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description="Time and rightness, side by side.")
    parser.add_argument("--quick", action="store_true", help="small sizes, few turns; leaves the published page alone")
    parser.add_argument("--sizes", type=_sizes, help="kilobytes of clean text, e.g. 2,20,200,2000")
    parser.add_argument("--parts", type=_parts, default=_PARTS, help=f"of {','.join(_PARTS)}")
    parser.add_argument("--store", action="store_true", help="with --quick: replace the stored run of this machine")
    parser.add_argument("--stored", type=Path, default=_STORED, help="where runs are stored")
    parser.add_argument("--output", type=Path, help="folder of the page")
    return parser.parse_args(arguments)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(size) * KB for size in text.split(",")))


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(text.split(","))
    if not set(parts) <= set(_PARTS):
        message = f"parts are {', '.join(_PARTS)}"
        raise argparse.ArgumentTypeError(message)
    return parts


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
