"""Which stage reads how many texts of the project's own corpus: `python -m tools.benchmarks.stages`.

The table is the one of `docs/explanation/how-a-text-is-read.md`; a test compares the two.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from src.shared.infrastructure.parsing.inspection import STAGE_NAMES, inspect, stage_names
from tools.benchmarks.report import table

CORPUS = Path(__file__).parents[2] / "tests/corpus/own/outputs.jsonl"
COLUMNS = ("stage", "read by it", "with repairs", "refused by it")


def texts() -> list[str]:
    """The texts of the corpus."""
    return [json.loads(line)["text"] for line in CORPUS.read_text("utf-8").splitlines()]


def counts(raws: Iterable[str]) -> Iterator[tuple[str, int, int, int]]:
    """For each stage that read or refused a text: texts read, those of them with repairs, and texts refused."""
    read: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for raw in raws:
        reading = inspect(raw)
        if reading.error:
            refused[reading.error.details["stage"]] += 1
            continue
        stage = next(note.stage for note in reversed(reading.notes) if note.action == "chosen")
        read[stage] += 1
        repaired[stage] += bool(reading.repairs)
    for stage in dict.fromkeys((*stage_names("tool_call"), *STAGE_NAMES)):
        if read[stage] or refused[stage]:
            yield stage, read[stage], repaired[stage], refused[stage]


def main() -> None:
    """Print the table."""
    logging.disable()
    rows = [(f"`{stage}`", *map(str, numbers)) for stage, *numbers in counts(texts())]
    print("\n".join(table(COLUMNS, rows)))


if __name__ == "__main__":
    main()
