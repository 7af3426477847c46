"""`--trace json`: everything about how a text was read, as one JSON object for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.plain_output import json_text
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect


def result_trace(text: str, decoded: DecodedJson[Any]) -> str:
    """`notes`, `repairs` and `coercions`, all of them, and whether the text was `truncated`."""
    coercions = [asdict(one) for one in decoded.coercions]
    end = {"coercions": coercions, "truncated": decoded.truncated}
    return json_text(_reading(text, decoded.notes, decoded.repairs) | end)


def failure_trace(text: str, contract: Contract | None, error: LLMJsonParseError, *, finished: bool | None) -> str:
    """The same up to the stage that failed, and the `error`."""
    dto_type, normalizers = (contract.dto_type, contract.normalizers) if contract else (None, ())
    reading = inspect(text, dto_type, normalizers=normalizers, finished=finished)
    failure = {"code": error.code, "message": error.message, "details": error.details}
    return json_text(_reading(text, reading.notes, reading.repairs) | {"error": failure})


def _reading(text: str, notes: Iterable[Note], repairs: Iterable[Repair]) -> dict[str, Any]:
    lines = LineIndex(text)
    return {
        "notes": [_note(note, lines) for note in notes],
        "repairs": [_repair(repair) for repair in repairs],
    }


def _note(note: Note, lines: LineIndex) -> dict[str, Any]:
    return {"stage": note.stage, "action": note.action} | {
        name: lines.position(offset) for name, offset in (("start", note.span.start), ("end", note.span.end))
    }


def _repair(repair: Repair) -> dict[str, Any]:
    place = {"line": repair.line, "column": repair.column, "offset": repair.offset}
    return {"kind": repair.kind} | place | {"found": repair.found, "put": repair.put, "count": repair.count}
