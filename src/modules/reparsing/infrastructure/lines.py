"""The rows of the outputs, as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

from src.modules.reparsing.domain.comparison import Compared
from src.modules.reparsing.domain.outcome import OUTPUT_STAGE, Answer, Parsed, Refused, turned_away
from src.modules.reparsing.domain.record import Record
from src.shared.domain.language import Message

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_escaped = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""Made once, and held here: an old parser's code may put another function in the place of `json.dumps`."""


def encoded(answer: Answer) -> tuple[Answer, bytes]:
    """The line of an answer; the answer of a value that JSON cannot hold is a refusal instead."""
    record, outcome, seconds = answer
    if isinstance(outcome, Refused):
        return answer, _line(_refused(record, outcome))
    try:
        return answer, _line(_parsed(record, outcome))
    except (ValueError, TypeError, RecursionError) as error:
        why = Message(f"已读出，但无法写成 JSON：{error}", f"the value was read and cannot be written as JSON: {error}")
        return encoded(Answer(record, turned_away(OUTPUT_STAGE, why), seconds))


def compared_line(compared: Compared) -> bytes:
    """The line of a text that an old parser read as well."""
    return _line(compared._asdict())


def _parsed(record: Record, outcome: Parsed) -> dict[str, Any]:
    repairs = [mark._asdict() for mark in outcome.repairs]
    return {"place": record.place, "id": record.id, "agent": record.agent, "data": outcome.data, "repairs": repairs}


def _refused(record: Record, outcome: Refused) -> dict[str, Any]:
    return {
        "place": record.place,
        "id": record.id,
        "agent": record.agent,
        "stage": outcome.stage,
        "message": outcome.message,
        "line": outcome.line,
        "column": outcome.column,
        "truncated": outcome.truncated,
        "feedback": outcome.feedback,
    }


def _line(row: dict[str, Any]) -> bytes:
    text = _encode(row)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold and an escape can
        return _escaped(row).encode() + b"\n"
