"""A row of input as a record, and what became of it as a line of output."""

from __future__ import annotations

import json
from typing import Any

from src.modules.reparsing.domain.comparison import Compared
from src.modules.reparsing.domain.exceptions import UnusableRowError
from src.modules.reparsing.domain.outcome import INPUT_STAGE, OUTPUT_STAGE, Answer, Parsed, Refused, turned_away
from src.modules.reparsing.domain.record import FieldNames, RawRow, Record, not_utf8, record_of
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys

_KEY_LIMIT = 40


def read_row(row: RawRow, names: FieldNames) -> Record:
    """The record in a row.

    Raises:
        UnusableRowError: there is none that could be read.
    """
    return record_of(row_content(row), names, row.place)


def record_in(row: RawRow, names: FieldNames) -> tuple[Record, Refused | None]:
    """The record in a row; of a row without a text that could be read, its refusal as well."""
    try:
        return read_row(row, names), None
    except UnusableRowError as error:
        return Record(row.place, error.id), turned_away(INPUT_STAGE, error.why)


def row_content(row: RawRow) -> object:
    """What stands in a row: its fields, or a text alone; other JSON is nothing that a record is in.

    Raises:
        UnusableRowError: the row is no JSON, or could not be read from its input.
    """
    place, content = row
    if isinstance(content, Message):
        raise UnusableRowError(content, place)
    return _decoded(content, place) if isinstance(content, bytes) else content


def _decoded(line: bytes, place: str) -> object:
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        why = not_utf8(error)
    except RepeatedKeyError as error:
        key = one_line(error.key, _KEY_LIMIT)
        why = Phrase("the row has two fields of one name: {key!r}", key=key)
    except json.JSONDecodeError as error:
        why = Phrase("not a line of JSON: column {colno}: {msg}", colno=error.colno, msg=error.msg)
    except (RecursionError, ValueError) as error:  # nested too deeply; an integer with too many digits
        why = Phrase("a line of JSON that cannot be read: {error}", error=error)
    raise UnusableRowError(why, place)


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_escaped = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""Made once, and held here: an old parser's code may put another function in the place of `json.dumps`."""


def encoded(answer: Answer) -> tuple[Answer, bytes]:
    """The line of an answer; the answer of a value that JSON cannot hold is a refusal instead."""
    record, outcome, seconds = answer
    if isinstance(outcome, Refused):
        return answer, _line(_row(record, outcome, _OF_REFUSED))
    repairs = [mark._asdict() for mark in outcome.repairs]
    left_out = [part._asdict() for part in outcome.left_out]
    try:
        return answer, _line(_row(record, outcome, _OF_PARSED) | {"repairs": repairs, "left_out": left_out})
    except (ValueError, TypeError, RecursionError) as error:
        why = Phrase("the value was read and cannot be written as JSON: {error}", error=error)
        return encoded(Answer(record, turned_away(OUTPUT_STAGE, why), seconds))


def compared_line(compared: Compared) -> bytes:
    """The line of a text that an old parser read as well."""
    return _line(compared._asdict())


_OF_PARSED = ("data", "repairs", "grade", "left_out")
_OF_REFUSED = ("stage", "message", "line", "column", "truncated", "feedback")
"""What is told of an outcome, in the order of the outputs."""


def _row(record: Record, outcome: Parsed | Refused, fields: tuple[str, ...]) -> dict[str, Any]:
    which = {"place": record.place, "id": record.id, "agent": record.agent}
    return which | {name: getattr(outcome, name) for name in fields}


def _line(row: dict[str, Any]) -> bytes:
    text = _encode(row)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold and an escape can
        return _escaped(row).encode() + b"\n"
