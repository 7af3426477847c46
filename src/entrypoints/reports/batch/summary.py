"""`summary.json`: a run's numbers for programs. `docs/reference/batch-summary.md` describes each field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from src.entrypoints.reports.batch.words import groups_of, ranked, refusals_of
from src.modules.reparsing.domain.comparison import OTHERS, Agreement
from src.modules.reparsing.domain.outcome import TRAITS
from src.modules.reparsing.domain.tally import OUTCOMES, Groups, Tally
from src.shared.domain.grade import Grade


@dataclass(frozen=True, slots=True)
class Start:
    """What one start of a run read: texts, and seconds from its beginning to its end."""

    texts: int
    seconds: float


@dataclass(frozen=True, slots=True)
class About:
    """A run and the program that ran it.

    Attributes:
        inputs: name and identity of each input, as in the run's manifest.
        options: what the outputs depend on, as in the run's manifest.
        version: of the program.
        made: when the report is made.
        workers: how many processes read.
        start: what this start read; None where the run had been finished before.
    """

    inputs: list[dict[str, Any]]
    options: dict[str, Any]
    version: str
    made: datetime
    workers: int
    start: Start | None = None


FORM = 1
"""Of the file; raised when a field changes its meaning or goes."""


def summary_data(tally: Tally, about: About) -> dict[str, Any]:
    """The numbers as JSON types. Two runs over the same inputs with the same options differ in `timing` alone."""
    compared = tally.comparison
    return {
        "form": FORM,
        "version": about.version,
        "inputs": about.inputs,
        "options": about.options,
        "outcomes": _counts(tally.counts, OUTCOMES),
        "characters": tally.characters,
        "stages": _ranked(tally.stages),
        "kinds": _ranked(tally.kinds),
        "grades": [{"name": grade.value, "texts": tally.grades[grade]} for grade in Grade],
        "left_out": tally.left_out,
        "writing": writing_data(tally),
        "by_agent": _groups(tally.by_agent, OUTCOMES),
        "by_model": _groups(tally.by_model, OUTCOMES),
        "by_time": [{"name": name, **_counts(counts, OUTCOMES)} for name, counts in sorted(tally.by_time.items())],
        "reasons": [row._asdict() for row in refusals_of(tally)],
        "largest": [{"characters": int(row.value), "place": row.place, "id": row.id} for row in tally.largest],
        "comparison": {
            "classes": _counts(compared.classes, Agreement),
            "by_agent": _groups(compared.by_agent, Agreement),
            "paths": _ranked(compared.paths),
            "examples": [example for each in Agreement for example in compared.examples.get(each, ())],
        }
        if compared.classes
        else None,
        "timing": {
            "made": about.made.isoformat(timespec="seconds"),
            "workers": about.workers,
            "reading_seconds": tally.seconds,
            "start": about.start and asdict(about.start),
            "slowest": [{"seconds": row.value, "place": row.place, "id": row.id} for row in tally.slowest],
        },
    }


def writing_data(tally: Tally) -> list[dict[str, Any]]:
    """How texts are written, by model, that of the most texts first and those that count together last."""
    return [
        {"model": model or None, "texts": texts}
        | {trait: _ranked(getattr(tally, trait).get(model, {})) for trait in TRAITS}
        for model, texts in ranked(tally.written, last=OTHERS)
    ]


def _counts(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return {str(name): counts.get(name, 0) for name in names}


def _groups(groups: Groups, names: Iterable[str]) -> list[dict[str, Any]]:
    return [{"name": name, **_counts(counts, names)} for name, counts in groups_of(groups)]


def _ranked(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    return [{"name": name, "texts": texts} for name, texts in ranked(counts)]
