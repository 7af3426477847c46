"""The handler that reads texts: a row in, a line of one of the outputs and its counts out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from src.modules.reparsing.domain.outcome import (
    INPUT_STAGE,
    OUTPUT_STAGE,
    WORKER_STAGE,
    RowOutcome,
    refusal_at,
    refusal_of,
    text_outcome,
)
from src.modules.reparsing.domain.part import PARSED, REFUSED, Line, Outcomes
from src.modules.reparsing.domain.record import FieldNames, Record, Row, record_of
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.processes import function_named

Reader: TypeAlias = Callable[[Record], RowOutcome]
"""Reads the text of a record; raises an `AppException` for one that it refuses."""
_ERROR_LIMIT = 300
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_escape = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""Made once, and held here: an old parser's code may put another function in the place of `json.dumps`."""


def encoded(row: dict[str, Any]) -> bytes:
    """The line of a row of an output.

    Raises:
        ValueError, TypeError, RecursionError: JSON cannot hold it.
    """
    try:
        return _encode(row).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold and an escape can
        return _escape(row).encode() + b"\n"


def keep(
    outcomes: Outcomes, record: Record, outcome: RowOutcome, seconds: float = 0.0, noted: int | None = None
) -> None:
    """Take up what came of one row; a value that cannot be written is a refusal.

    Args:
        outcomes: those of the rows before it.
        record: the row's.
        outcome: what came of it.
        seconds: how long that took.
        noted: as for `ReadingHandler`.
    """
    which = {"place": record.place, "id": record.id, "agent": record.agent}
    try:
        content = encoded(which | outcome.row)
    except (ValueError, TypeError, RecursionError) as error:
        why = Phrase("the value was read and cannot be written as JSON: {error}", error=error)
        outcome = refusal_at(OUTPUT_STAGE, why)
        content = encoded(which | outcome.row)
    outcomes.lines.append(Line(REFUSED if outcome.stage else PARSED, content))
    outcomes.tally.count(record, outcome, seconds)
    note = None if noted is None else text_outcome(record, outcome, noted)
    outcomes.notes += [note] if note else []


class ReadingHandler:
    """Reads rows. No row raises anything."""

    def __init__(self, reader: str, arguments: dict[str, Any], names: FieldNames, noted: int | None = None) -> None:
        """Make the reader.

        Args:
            reader: `package.module:function` of what makes the `Reader`.
            arguments: what that function is called with.
            names: which field of a row holds what.
            noted: how many characters of each text are noted, besides what came of it; None notes nothing.
        """
        self._read: Reader = function_named(reader)(**arguments)
        self._names, self._noted = names, noted
        self._outcomes = Outcomes()

    def handle(self, item: Row) -> None:
        """Read a row."""
        begun = time.perf_counter()
        record = record_of(item, self._names)
        outcome = _input_refusal(record) or self._outcome(record)
        keep(self._outcomes, record, outcome, time.perf_counter() - begun, self._noted)

    def take(self) -> Outcomes:
        """What came of the rows since the last time."""
        taken, self._outcomes = self._outcomes, Outcomes()
        return taken

    def _outcome(self, record: Record) -> RowOutcome:
        try:
            return self._read(record)
        except AppException as error:
            return refusal_of(error)
        except MemoryError:
            why = Phrase("there was not enough memory to read it")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a type's own code may raise anything
            name, text = type(error).__name__, one_line(str(error), _ERROR_LIMIT)
            why = Phrase("reading it raised {name}: {text}", name=name, text=text)
        return refusal_at(WORKER_STAGE, why)


READING = f"{__name__}:{ReadingHandler.__name__}"
"""The handler as a task has it."""


def blame(arguments: Mapping[str, Any], row: Row, why: Message) -> Outcomes:
    """What came of one row on which the worker of these arguments died; in the owner's process, which reads no text."""
    record, outcomes = record_of(row, arguments["names"]), Outcomes()
    outcome = _input_refusal(record) or refusal_at(WORKER_STAGE, why)
    keep(outcomes, record, outcome, noted=arguments.get("noted"))
    return outcomes


def _input_refusal(record: Record) -> RowOutcome | None:
    return refusal_at(INPUT_STAGE, record.problem) if record.problem else None
