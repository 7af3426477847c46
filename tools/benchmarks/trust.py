"""How far a result can be trusted, by its grade: how many differ from what is expected, and how many might.

`python -m tools.benchmarks.trust` reads the corpora, the labelled part of the pool, the tables of cases, and texts of
the attack. Beside `k of n` results that differ stands the exact one-sided bound of Clopper and Pearson: with 95 %
certainty no larger share of such texts differs. It ends with exit code 1 if a result of a corpus that is `lossless` or
surer differs, or if a grade is not as its edits say.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from math import ceil, exp, lgamma, log, log1p
from typing import Any, NamedTuple

from src.shared.domain.grade import GRADES, Grade, least_sure
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.state import PASSED_OVER
from tools.attack.quiet import quiet
from tools.attack.tables import table
from tools.benchmarks.labelled import CORPORA, Labelled, Verdict, attacked, jsonmend_to_be_read, read

CERTAINTY = 0.95
SURE = "lossless or surer"
COLUMNS = (*Grade, SURE, "all")
ATTACKED = 6_000
"""Texts of the attack for each seed; half of them have two damages."""
REAL = ("real outputs", "pool")
"""The corpora of real texts, which nobody chose by how they are read: only of them there is a sum."""
_HALVINGS = 50


class Graded(NamedTuple):
    """What came of some texts: results and differences by grade, refused ones, and grades that are not so."""

    results: Counter[str]
    different: Counter[str]
    refused: int
    otherwise: list[str]

    @property
    def broken(self) -> bool:
        """Whether a sure result differs, or a grade is not as its edits say."""
        return bool(self.otherwise or self.different[SURE])

    def row(self, name: str) -> tuple[object, ...]:
        """Its row of the table."""
        cells = (f"{self.different[one]} of {self.results[one]}" for one in COLUMNS)
        bounds = (f"≤ {percent(upper_bound(self.different[one], self.results[one]))}" for one in COLUMNS)
        return name, self.refused, *(" ".join(pair) for pair in zip(cells, bounds, strict=True))


def graded(texts: Iterable[Labelled]) -> Graded:
    """Read the texts."""
    results: Counter[str] = Counter()
    different: Counter[str] = Counter()
    refused = 0
    otherwise = []
    for one in texts:
        verdict, decoded = read(one)
        if decoded is None:
            refused += 1
            continue
        columns = {decoded.grade.value, "all"} | (set() if decoded.grade.is_behind(Grade.LOSSLESS) else {SURE})
        results.update(columns)
        if verdict is Verdict.WRONG:
            different.update(columns)
        if one.dto_type is None and decoded.grade is not _edits_say(decoded):
            otherwise.append(one.text)
    return Graded(results, different, refused, otherwise)


def _edits_say(decoded: DecodedJson[Any]) -> Grade:
    """The grade by the trace alone; of a text without edits, its own."""
    if any(note.action == PASSED_OVER for note in decoded.notes):
        return Grade.CHOSEN
    beside = () if decoded.grade.is_behind(Grade.WRAPPED) else (decoded.grade,)
    return least_sure((*(GRADES[repair.kind] for repair in decoded.repairs), *beside))


def upper_bound(different: int, results: int, certainty: float = CERTAINTY) -> float:
    """The largest share with which so few differences among so many results are not too unlikely.

    It is the exact one-sided bound of Clopper and Pearson (Biometrika 26, 1934): where at most `different` differ with
    a probability of 1 - `certainty`. Without a result it is 1.
    """
    if different >= results:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        if _at_most(different, results, share) > 1 - certainty:
            low = share
        else:
            high = share
    return high


def percent(share: float) -> str:
    """A share in percent with two digits behind the point, rounded up: a bound must not look smaller than it is."""
    return f"{ceil(round(share * 10_000, 6)) / 100:.2f}%"


def _at_most(different: int, results: int, share: float) -> float:
    """The probability of so many or fewer, each with this share: the lower sum of the binomial distribution."""
    return sum(
        exp(
            lgamma(results + 1)
            - lgamma(count + 1)
            - lgamma(results - count + 1)
            + count * log(share)
            + (results - count) * log1p(-share)
        )
        for count in range(different + 1)
    )


def total(parts: Iterable[Graded]) -> Graded:
    """All of them as one."""
    summed = Graded(Counter(), Counter(), 0, [])
    for part in parts:
        summed = Graded(
            summed.results + part.results,
            summed.different + part.different,
            summed.refused + part.refused,
            summed.otherwise + part.otherwise,
        )
    return summed


def main(arguments: list[str] | None = None) -> int:
    """Read and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="trust", description="How many results differ from what is expected.")
    parser.add_argument("--count", type=int, default=ATTACKED, help="texts of the attack for each seed")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="of those texts")
    given = parser.parse_args(arguments)
    seeds = tuple(given.seed)
    corpora = {
        name: graded(texts())
        for name, texts in CORPORA.items()
        if texts is not jsonmend_to_be_read  # they are in jsonmend's cases
    }
    attacks = {
        "attack, one damage": graded(attacked(1, given.count, seeds)),
        "attack, two damages": graded(attacked(2, given.count, seeds)),
    }
    real = total(corpora[name] for name in REAL if name in corpora)
    rows = [one.row(name) for name, one in {**corpora, " and ".join(REAL): real, **attacks}.items()]
    print(table(("texts", "refused", *COLUMNS), rows))
    print(f"\ndiffering results of all results; the bounds hold with {CERTAINTY:.0%} certainty")
    for text in total([*corpora.values(), *attacks.values()]).otherwise:
        print(f"graded otherwise than its edits say: {text!r}")
    return int(total(corpora.values()).broken or any(one.otherwise for one in attacks.values()))


if __name__ == "__main__":
    quiet()
    sys.exit(main())
