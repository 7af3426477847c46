"""The handler that reads texts: a row in, a line of one of the outputs and its counts out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from src.modules.reparsing.domain.exceptions import UnusableRowError
from src.modules.reparsing.domain.outcome import (
    INPUT_STAGE,
    WORKER_STAGE,
    Answer,
    Outcome,
    Refused,
    TextNote,
    refused,
    turned_away,
)
from src.modules.reparsing.domain.record import FieldNames, RawRow, Record
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.rows import encoded, read_row
from src.modules.reparsing.infrastructure.workers.task import Task, function_named
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

Reader: TypeAlias = Callable[[Record], Outcome]
"""Reads the text of a record; raises an `AppException` for one that it refuses."""

_ERROR_LIMIT = 300


@dataclass(slots=True)
class Readings:
    """What came of some rows, in their order: the lines of the outputs, whether each row was read, counts and notes."""

    parsed: list[bytes] = field(default_factory=list)
    refused: list[bytes] = field(default_factory=list)
    is_read: list[bool] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    notes: list[TextNote] = field(default_factory=list)

    def add(self, other: Readings) -> None:
        """Take up those of another as well; its rows come behind the ones so far."""
        self.parsed += other.parsed
        self.refused += other.refused
        self.is_read += other.is_read
        self.tally.add(other.tally)
        self.notes += other.notes

    def keep(self, answer: Answer, noted: int | None = None) -> Answer:
        """Take up what came of one row; as it is written, which may be a refusal of a value that cannot be.

        Args:
            answer: the row and what came of it.
            noted: as for `reading_task`.
        """
        answer, line = encoded(answer)
        is_read = not isinstance(answer.outcome, Refused)
        (self.parsed if is_read else self.refused).append(line)
        self.is_read.append(is_read)
        self.tally.count(answer)
        note = None if noted is None else TextNote.of(answer, noted)
        if note:
            self.notes.append(note)
        return answer


def reading_task(
    reader: str, arguments: dict[str, Any], names: FieldNames, folder: str = "", noted: int | None = None
) -> Task:
    """The task of reading rows.

    Args:
        reader: `package.module:function` of what makes the `Reader`.
        arguments: what that function is called with.
        names: which field of a row holds what.
        folder: as for `Task`.
        noted: how many characters of each text are noted, besides what came of it; None notes nothing.
    """
    told = {"reader": reader, "arguments": arguments, "names": names, "noted": noted}
    return Task(f"{__name__}:ReadingHandler", told, folder)


class ReadingHandler:
    """Reads rows. No row raises anything."""

    def __init__(self, reader: str, arguments: dict[str, Any], names: FieldNames, noted: int | None = None) -> None:
        """As `reading_task`."""
        self._read: Reader = function_named(reader)(**arguments)
        self._names, self._noted = names, noted
        self._readings = Readings()

    def handle(self, item: RawRow) -> None:
        """Read a row."""
        begun = time.perf_counter()
        record, outcome = self._outcome(item)
        self._readings.keep(Answer(record, outcome, time.perf_counter() - begun), self._noted)

    def take(self) -> Readings:
        """What came of the rows since the last time."""
        taken, self._readings = self._readings, Readings()
        return taken

    def _outcome(self, row: RawRow) -> tuple[Record, Outcome]:
        try:
            record = read_row(row, self._names)
        except UnusableRowError as error:
            return unusable(row, error)
        try:
            return record, self._read(record)
        except AppException as error:
            return record, refused(error)
        except MemoryError:
            return record, turned_away(
                WORKER_STAGE, Message("解析时内存不足", "there was not enough memory to read it")
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a type's own code may raise anything
            name, text = type(error).__name__, one_line(str(error), _ERROR_LIMIT)
            why = Message(f"解析时出现 {name}：{text}", f"reading it raised {name}: {text}")
            return record, turned_away(WORKER_STAGE, why)


def unusable(row: RawRow, error: UnusableRowError) -> tuple[Record, Refused]:
    """A row without a text."""
    return Record(row.place, error.id), turned_away(INPUT_STAGE, error.why)


@dataclass(frozen=True)
class Blame:
    """Makes what came of a row on which the worker died; in the owner's process, which reads no text."""

    names: FieldNames
    noted: int | None = None

    def __call__(self, row: RawRow, why: Message) -> Readings:
        """The readings of this one row."""
        readings = Readings()
        try:
            record, outcome = read_row(row, self.names), turned_away(WORKER_STAGE, why)
        except UnusableRowError as error:
            record, outcome = unusable(row, error)
        readings.keep(Answer(record, outcome), self.noted)
        return readings
