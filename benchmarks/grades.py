"""How sure the results of texts are whose value is known, and how many of each grade are right.

`python -m benchmarks.grades` reads the project's own corpus, the recorded readings, the real outputs beside the project
if they are there, and texts of the attack. It ends with exit code 1 if a result of a corpus that is `lossless` or surer
is not the expected value, or if a grade is not as its edits say.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from attack.damaged import damaged_text, two_kinds
from attack.damages import KINDS
from attack.outcome import same
from benchmarks.report import table
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import GRADES, Grade, least_sure
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json
from src.shared.infrastructure.parsing.state import PASSED_OVER

_ROOT = Path(__file__).parents[1]
_OWN = _ROOT / "tests/corpus/own/outputs.jsonl"
_RECORDED = _ROOT / "tests/recorded_readings/readings.jsonl"
_REAL = _ROOT.parent / "shared/corpus/real_outputs.jsonl"
COLUMNS = ("texts", *Grade, "refused", "not the expected value, by grade")


class Known(NamedTuple):
    """A text, the values that it may have, and whether it is known to be whole."""

    text: str
    expected: tuple[Any, ...]
    finished: bool | None = None


def own_texts() -> Iterator[Known]:
    """The project's own corpus."""
    for line in _OWN.read_text("utf-8").rstrip("\n").split("\n"):
        row = json.loads(line)
        if row.get("expected") is not None:
            yield Known(row["text"], (row["expected"],))


def recorded_texts() -> Iterator[Known]:
    """The recorded readings: texts that are read as what they were made from."""
    for line in _RECORDED.read_text("utf-8").rstrip("\n").split("\n"):
        _, text, reading = json.loads(line)
        if "value" in reading:
            yield Known(text, (reading["value"],), finished=True)


def real_texts(file: Path = _REAL) -> Iterator[Known]:
    """Real outputs whose value two libraries and a reader agree on; none where they are not there."""
    for line in file.read_text("utf-8").rstrip("\n").split("\n") if file.exists() else ():
        row = json.loads(line)
        if row["expected"] is not None and row["expected_confidence"] == "high":
            yield Known(row["text"], (row["expected"], *(row.get("expected_all") or ())))


def attacked_texts(count: int, seed: int) -> Iterator[Known]:
    """Documents with one or two kinds of damage, some of which no reader could undo."""
    for number in range(count):
        rng, kind = Random(seed * count + number), KINDS[number % len(KINDS)]  # noqa: S311 - the same texts every time
        damaged = damaged_text(rng, *((kind,) if number // len(KINDS) % 2 == 0 else two_kinds(rng, kind)))
        if damaged:
            yield Known(damaged.text, (damaged.document, *damaged.plain), finished=True)


def _edits_say(decoded: DecodedJson[Any]) -> Grade:
    """The grade by the trace alone; of a text without edits, its own."""
    if any(note.action == PASSED_OVER for note in decoded.notes):
        return Grade.CHOSEN
    beside = () if decoded.grade.is_behind(Grade.WRAPPED) else (decoded.grade,)
    return least_sure((*(GRADES[repair.kind] for repair in decoded.repairs), *beside))


class Graded(NamedTuple):
    """What came of some texts: grades, results that are not the expected value by grade, and grades that are not so."""

    grades: Counter[str]
    wrong: Counter[str]
    otherwise: list[str]

    @property
    def broken(self) -> bool:
        """Whether a sure result is wrong, or a grade is not as its edits say."""
        return bool(self.otherwise) or any(not Grade(name).is_behind(Grade.LOSSLESS) for name in self.wrong)


def graded(texts: Iterable[Known]) -> Graded:
    """Read the texts."""
    found = Graded(Counter(), Counter(), [])
    for text, expected, finished in texts:
        try:
            decoded = decode_llm_json(text, root="any", finished=finished)
        except LLMJsonParseError:
            found.grades["refused"] += 1
            continue
        found.grades[decoded.grade.value] += 1
        if not any(same(decoded.data, value) for value in expected):
            found.wrong[decoded.grade.value] += 1
        if decoded.grade is not _edits_say(decoded):
            found.otherwise.append(text)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Read and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="grades", description="How sure results are, by grade, and how many are right."
    )
    parser.add_argument("--count", type=int, default=3_000, help="texts of the attack")
    parser.add_argument("--seed", type=int, default=1, help="of those texts")
    given = parser.parse_args(arguments)
    corpora = {"own corpus": graded(own_texts()), "recorded readings": graded(recorded_texts())}
    corpora["real outputs"] = graded(real_texts())
    attacked = graded(attacked_texts(given.count, given.seed))
    rows = [_row(name, found) for name, found in (*corpora.items(), ("attack", attacked))]
    print("\n".join(table(COLUMNS, rows)))
    return int(any(found.broken for found in corpora.values()) or bool(attacked.otherwise))


def _row(name: str, found: Graded) -> tuple[str, ...]:
    wrong = ", ".join(f"{grade} {count}" for grade, count in found.wrong.items())
    return name, *(str(found.grades[column]) for column in (*Grade, "refused")), wrong


if __name__ == "__main__":
    logging.disable()
    sys.exit(main())
