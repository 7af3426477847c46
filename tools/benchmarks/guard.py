"""Compare a run with the stored one of the same machine: no row may have become slower by more than a quarter.

A row is our shortest time divided by the shortest that Pydantic takes for clean text of that size: what else runs on
the machine can only add to a time, and a slower machine slows both. A row that looks slower is measured again before it
counts, as often as the stored run was and more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from tools.benchmarks.documents import label
from tools.benchmarks.growth import Growth
from tools.benchmarks.timing import Times

MOST = 1.25
"""A row may take so many times as long as the stored one."""
REPEATS = 10
"""How often a row that looks slower is measured again."""
STORED_RUNS = 3
"""How many runs are stored as one."""
OURS = ("ours", "ours, no type")
BASELINE = "pydantic"
HOSTILE = "hostile"


class Row(NamedTuple):
    """What was timed: a size and condition of clean or damaged text, or a hostile family, and the reader."""

    size: int
    name: str
    reader: str
    part: str = "times"

    def __str__(self) -> str:
        """The row as the messages name it."""
        return ", ".join([*([HOSTILE] if self.part == HOSTILE else []), label(self.size), self.name, self.reader])


Rows = dict[Row, float]
"""By row, how many times as long as the baseline it took; infinity where it did not end within its budget."""


class Measured(NamedTuple):
    """The shortest seconds of each row, and of the baseline for each size."""

    seconds: dict[Row, float]
    base: dict[int, float]

    def rows(self) -> Rows:
        """Divide by the baseline: hostile texts by that of the largest size."""
        largest = max(self.base)
        return {
            row: seconds / self.base[largest if row.part == HOSTILE else row.size]
            for row, seconds in self.seconds.items()
        }

    def merged(self, other: Measured) -> Measured:
        """The shortest of both, for the rows of this one."""
        seconds = {row: min(known, other.seconds.get(row, math.inf)) for row, known in self.seconds.items()}
        return Measured(
            seconds, {size: min(known, other.base.get(size, math.inf)) for size, known in self.base.items()}
        )


Measure = Callable[[list[Row]], Measured]
"""Measures some rows again."""


class Slower(NamedTuple):
    """A row that became slower."""

    row: Row
    before: float
    now: float

    def __str__(self) -> str:
        """The row and how much longer it takes."""
        return f"slower: {self.row}: × {self.now / self.before:.2f} ({self.before:.3g} → {self.now:.3g} of {BASELINE})"


def measured(times: Times, growth: Growth) -> Measured:
    """Return the rows of a run; in `times` there is the baseline."""
    seconds = {
        **{Row(size, name, reader): cell for (size, name, reader), cell in times.items() if reader in OURS},
        **{Row(size, name, reader, HOSTILE): cell for (name, reader, size), cell in growth.items() if reader in OURS},
    }
    base: dict[int, float] = {}
    for (size, _, reader), cell in times.items():
        if reader == BASELINE:
            base[size] = min(base.get(size, math.inf), *cell.turns)
    return Measured({row: min(cell.turns, default=math.inf) for row, cell in seconds.items()}, base)


def guard(found: Measured, path: Path, machine: str, again: Measure, *, store: bool = False) -> int:
    """Compare with the stored rows of this machine, or store them; return the exit code."""
    runs = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    stored = {Row(*row): ratio for row, ratio in runs.get(machine, [])}
    if store or not stored:
        for _ in range(STORED_RUNS - 1):
            found = found.merged(again(list(found.seconds)))
        _store(path, {**runs, machine: [[row, ratio] for row, ratio in found.rows().items()]})
        print(f"stored: {len(found.seconds)} rows of this machine, in {path}; the next run is compared with them")
        return 0
    return _compared(confirmed(found, stored, again).rows(), stored)


def _compared(found: Rows, stored: Rows) -> int:
    worse = slower(found, stored)
    for each in worse:
        print(each)
    known = len(found.keys() & stored.keys())
    fine, new = known - len(worse), len(found) - known
    print(f"{fine} of {known} rows are not slower than the stored ones; {new} have none stored")
    return int(bool(worse))


def slower(found: Rows, stored: Rows) -> list[Slower]:
    """Name the rows that take more than `MOST` times as long as the stored ones, the worst first."""
    both = [Slower(row, stored[row], found[row]) for row in found if row in stored]
    return sorted((each for each in both if each.now > each.before * MOST), key=lambda each: each.before / each.now)


def confirmed(found: Measured, stored: Rows, again: Measure) -> Measured:
    """Measure the rows that look slower again, up to `REPEATS` times, and take the shortest times."""
    for _ in range(REPEATS):
        doubtful = [each.row for each in slower(found.rows(), stored)]
        if not doubtful:
            break
        found = found.merged(again(doubtful))
    return found


def fingerprint(facts: dict[str, str]) -> str:
    """Name the machine and the interpreter: times of others cannot be compared."""
    return ", ".join(facts[name] for name in ("processor", "system", "python"))


def conditions_of(wanted: Iterable[Row]) -> set[tuple[int, str]]:
    """Name the sizes and conditions of rows."""
    return {(row.size, row.name) for row in wanted if row.part != HOSTILE}


def families_of(wanted: Iterable[Row]) -> set[tuple[int, str]]:
    """Name the sizes and hostile families of rows."""
    return {(row.size, row.name) for row in wanted if row.part == HOSTILE}


def _store(path: Path, runs: dict[str, list[list[object]]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(runs, ensure_ascii=False, indent=1), "utf-8")
