"""How a text was read, as JSON: the command line and the service say it in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from src.entrypoints.reports.stages import CHECKS, StageReport, StageState
from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.repair import Repair
from src.shared.infrastructure.parsing.inspection import LineIndex, Note


def note_json(note: Note, lines: LineIndex) -> dict[str, Any]:
    """What a stage recognised, dropped or chose, and where."""
    places = (("start", note.span.start), ("end", note.span.end))
    return {"stage": note.stage, "action": note.action} | {name: lines.position(offset) for name, offset in places}


def repair_json(repair: Repair) -> dict[str, Any]:
    """A departure from strict JSON, and where."""
    place = {"line": repair.line, "column": repair.column, "offset": repair.offset}
    return {"kind": repair.kind.value} | place | {"found": repair.found, "put": repair.put, "count": repair.count}


def coercions_json(coercions: Iterable[Coercion]) -> list[dict[str, Any]]:
    """Values that were read as what their type asks for."""
    return [asdict(one) for one in coercions]


def stages_json(stages: Iterable[StageReport], text: str) -> list[dict[str, Any]]:
    """Every stage in its order: what became of it, and what it noted."""
    lines = LineIndex(text)
    return [
        {"stage": one.name, "state": _state(one), "notes": [note_json(note, lines) for note in one.notes]}
        for one in stages
    ]


def _state(stage: StageReport) -> str:
    """What became of a stage; one that only checks has `passed` the text."""
    quiet = stage.state in {StageState.NOTHING_TO_DO, StageState.NOT_NEEDED}
    return "passed" if quiet and stage.name in CHECKS else stage.state.value
