"""The attack with hostile texts: families of texts and schemas composed at random, read in every way, ever longer.

What is reported: time that grows by more than `MOST_PER_DOUBLING` from one length to the next, more than `MOST_SECONDS`
at any length, more than `MEMORY_PER_BYTE` times the text in memory, a reading that hangs, and an exception that is none
of the project's. What seems to be one is measured again before it is believed, and then made as small as it can be.

Work that is charged to a reader's bound may grow faster until the bound is reached, which is far below `MOST_SECONDS`:
what counts is the growth where the time is longest.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2
from random import Random
from typing import NamedTuple

from tools.attack.budget import Budget
from tools.attack.child import HANGS, Child, Measured, Task
from tools.attack.families import Family
from tools.attack.growth import MEGABYTE, MEMORY_PER_BYTE, MOST_PER_DOUBLING
from tools.attack.hostile_parts import any_schema_family, any_text_family
from tools.attack.hostile_ways import KILOBYTE, SCHEMAS, TEXTS, WAYS
from tools.attack.smaller import smaller
from tools.attack.tables import table

MOST_SECONDS = 0.5
"""Of a machine of 2020 without other load, for every length that is read."""
ENOUGH = 1.0
"""Seconds from which on nothing longer is read."""
NOTICED = 0.01
"""Seconds from which on a growth counts."""
FIRST = 2 * KILOBYTE
"""Bytes of the first text."""
LONGER = 4
"""How many times longer the next one is."""
WEIGHED = 100_000
"""Bytes from which on a text's memory is measured."""
LARGE = MEGABYTE
"""Bytes of the text whose memory counts: a shorter one may take what any text may take, some megabytes."""
MEASURED_AGAIN = 5
_SCHEMAS = 0.1
"""Share of the families that are schemas."""

Measure = Callable[[Task], Measured]


class Problem(NamedTuple):
    """What is wrong with a family.

    Attributes:
        kind: one of `BROKEN`.
        size: bytes of the text that shows it.
        told: the numbers.
    """

    kind: str
    size: int
    told: str


BROKEN = {
    "growth": f"time grows by more than {MOST_PER_DOUBLING} times where the text is twice as long",
    "slow": f"a text takes more than {MOST_SECONDS} seconds",
    "memory": f"a text takes more than {MEMORY_PER_BYTE} times its size in memory",
    "hangs": "a reading had to be killed",
    "crashed": "an exception that is none of the project's",
}


class Find(NamedTuple):
    """A family that breaks a bound, as small as it was made."""

    family: Family
    way: str
    problem: Problem

    def text(self) -> str:
        """Write the text that shows it, the way of reading and the numbers."""
        kind, size, told = self.problem
        return f"{kind}, {self.way}: {told}\n  {self.family.expression(size)}"


@dataclass(slots=True)
class HostileReport:
    """How many families were read in each way, and what was found."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    finds: list[Find] = field(default_factory=list)

    @property
    def broken(self) -> bool:
        """Whether a bound was broken."""
        return bool(self.finds)

    def add(self, find: Find) -> None:
        """Count a find; it is told at once, because a run may take long."""
        self.counts[find.way, find.problem.kind] += 1
        if find not in self.finds:
            self.finds.append(find)
            print(find.text(), file=sys.stderr, flush=True)

    def text(self) -> str:
        """Write the table, what its columns mean, and the smallest texts."""
        columns = ("families", *BROKEN)
        rows = [[way, *(self.counts[way, column] for column in columns)] for way in WAYS]
        total = ["all", *(sum(self.counts[way, column] for way in WAYS) for column in columns)]
        notes = [f"{column}: {meaning}; must be 0." for column, meaning in BROKEN.items()]
        finds = [find.text() for find in self.finds]
        return "\n\n".join([table(("way of reading", *columns), [*rows, total]), "\n".join(notes), *finds])


def attack(budget: Budget, seed: int) -> HostileReport:
    """Read families, each in one way, for as long as the budget says."""
    report = HostileReport()
    with closing(Child()) as child:
        for _, random in budget.turns(seed):
            family, way = any_reading(random)
            report.counts[way, "families"] += 1
            problem = found(child.measure, family, way)
            if problem:
                report.add(smallest(child.measure, Find(family, way, problem)))
    return report


def any_reading(random: Random) -> tuple[Family, str]:
    """Compose a family, and choose a way to read it."""
    if random.random() < _SCHEMAS:
        return any_schema_family(random), random.choice(tuple(SCHEMAS))
    return any_text_family(random), random.choice(tuple(TEXTS))


def found(measure: Measure, family: Family, way: str) -> Problem | None:
    """Read longer and longer texts of a family; say what is wrong. What may be is looked at from length to length."""
    size, before = FIRST, 0.0
    while True:
        measured = measure(Task(way, family.text(size)))
        if measured.error:
            return Problem("hangs" if measured.error == HANGS else "crashed", size, measured.error)
        if measured.seconds > MOST_SECONDS and (slow := _slow(measure, family, way, size)):
            return slow
        if measured.seconds > ENOUGH or LONGER * size > WAYS[way].longest:
            break
        size, before = LONGER * size, measured.seconds
    is_growing = measured.seconds > max(NOTICED, MOST_PER_DOUBLING ** log2(LONGER) * before)
    return (_growing(measure, family, way, size) if is_growing else None) or _large(measure, family, way, size)


def smallest(measure: Measure, find: Find) -> Find:
    """The same problem, of the least family and at the least length that was found to have it."""
    kind, size, _ = find.problem

    def still(family: Family, size: int) -> Problem | None:
        if kind in _AGAIN:
            return _AGAIN[kind](measure, family, find.way, size)
        error = measure(Task(find.way, family.text(size))).error
        return Problem(kind, size, error) if error[:5] == find.problem.told[:5] else None

    family = smaller(find.family, lambda one: still(one, size) is not None)
    problem = still(family, size) or find.problem
    while family.times(problem.size // 2):
        shorter = still(family, problem.size // 2)
        if shorter is None or shorter.size >= problem.size:  # memory is asked again where it is larger
            break
        problem = shorter
    return Find(family, find.way, problem)


def _slow(measure: Measure, family: Family, way: str, size: int) -> Problem | None:
    least = _least(measure, Task(way, family.text(size), unhurried=True), MOST_SECONDS)
    return Problem("slow", size, f"{size:,} bytes take {least:.2f} s") if least > MOST_SECONDS else None


def _growing(measure: Measure, family: Family, way: str, size: int) -> Problem | None:
    """Where it goes on: a text may be looked at in one more way from some length on.

    The times are measured again, in turn, until their least ones are in proportion.
    """
    sizes = (size // 2, size, 2 * size)
    least = [float("inf")] * len(sizes)
    for _ in range(MEASURED_AGAIN):
        for number, each in enumerate(sizes):
            least[number] = min(least[number], measure(Task(way, family.text(each))).seconds)
        if any(after <= max(MOST_PER_DOUBLING * before, NOTICED) for before, after in pairwise(least)):
            return None
    told = ", ".join(f"{seconds:.3f} s at {each:,} bytes" for seconds, each in zip(least, sizes, strict=True))
    return Problem("growth", size, told)


def _large(measure: Measure, family: Family, way: str, size: int) -> Problem | None:
    """What seems to take too much is asked again where it is larger."""
    if size < WEIGHED:
        return None
    text = family.text(size)
    bytes_ = max(len(text.encode("utf-8", "surrogatepass")), sys.getsizeof(text))  # of which Python needs more if wide
    times = measure(Task(way, text, memory=True)).peak / max(bytes_, WEIGHED)
    if times > MEMORY_PER_BYTE and size < LARGE:
        return _large(measure, family, way, LARGE)
    return (
        Problem("memory", size, f"{bytes_:,} bytes take {times:.0f} times as many") if times > MEMORY_PER_BYTE else None
    )


def _least(measure: Measure, task: Task, enough: float) -> float:
    """The least of several times, as soon as it is low enough."""
    least = float("inf")
    for _ in range(MEASURED_AGAIN):
        least = min(least, measure(task).seconds)
        if least <= enough:
            break
    return least


_AGAIN = {"slow": _slow, "growth": _growing, "memory": _large}
"""What finds a problem again at a length."""
