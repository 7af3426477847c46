"""`--trace json`: everything about how a text was read, as one JSON object for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.plain_output import json_text
from src.entrypoints.reports.reading_json import coercions_json, note_json, repair_json
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect


def result_trace(text: str, decoded: DecodedJson[Any]) -> str:
    """`notes`, `repairs` and `coercions`, all of them, and whether the text was `truncated`."""
    end = {"coercions": coercions_json(decoded.coercions), "truncated": decoded.truncated}
    return json_text(_reading(text, decoded.notes, decoded.repairs) | end)


def failure_trace(text: str, contract: Contract | None, error: LLMJsonParseError, *, finished: bool | None) -> str:
    """The same up to the stage that failed, and the `error`."""
    dto_type, normalizers, root = (
        (contract.dto_type, contract.normalizers, None) if contract else (None, (), error.details.get("root"))
    )
    reading = inspect(text, dto_type, normalizers=normalizers, finished=finished, root=root)
    failure = {"code": error.code, "message": error.message, "details": error.details}
    return json_text(_reading(text, reading.notes, reading.repairs) | {"error": failure})


def _reading(text: str, notes: Iterable[Note], repairs: Iterable[Repair]) -> dict[str, Any]:
    lines = LineIndex(text)
    return {
        "notes": [note_json(note, lines) for note in notes],
        "repairs": [repair_json(repair) for repair in repairs],
    }
