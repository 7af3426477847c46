"""The handler that reads texts: a row in, a line of one of the outputs and its counts out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from src.modules.reparsing.domain.outcome import (
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
from src.modules.reparsing.infrastructure.rows import encoded, record_in
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.processes import Task, function_named

Reader: TypeAlias = Callable[[Record], Outcome]
"""Reads the text of a record; raises an `AppException` for one that it refuses."""

_ERROR_LIMIT = 300


class Line(NamedTuple):
    """What came of a row as it is written, and in which output: the text was read, or refused."""

    content: bytes
    is_read: bool


@dataclass(slots=True)
class Readings:
    """What came of some rows, in their order: the lines of the outputs, counts and notes."""

    lines: list[Line] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    notes: list[TextNote] = field(default_factory=list)

    @property
    def parsed(self) -> bytes:
        """The lines of the texts that were read."""
        return b"".join(line.content for line in self.lines if line.is_read)

    @property
    def refused(self) -> bytes:
        """The lines of the others."""
        return b"".join(line.content for line in self.lines if not line.is_read)

    def add(self, other: Readings) -> None:
        """Take up those of another as well; its rows come behind the ones so far."""
        self.lines += other.lines
        self.tally.add(other.tally)
        self.notes += other.notes

    def keep(self, answer: Answer, noted: int | None = None) -> None:
        """Take up what came of one row; a value that cannot be written is a refusal.

        Args:
            answer: the row and what came of it.
            noted: as for `reading_task`.
        """
        answer, content = encoded(answer)
        self.lines.append(Line(content, not isinstance(answer.outcome, Refused)))
        self.tally.count(answer)
        note = None if noted is None else TextNote.of(answer, noted)
        if note:
            self.notes.append(note)


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
        record, unusable = record_in(item, self._names)
        outcome = unusable or self._outcome(record)
        self._readings.keep(Answer(record, outcome, time.perf_counter() - begun), self._noted)

    def take(self) -> Readings:
        """What came of the rows since the last time."""
        taken, self._readings = self._readings, Readings()
        return taken

    def _outcome(self, record: Record) -> Outcome:
        try:
            return self._read(record)
        except AppException as error:
            return refused(error)
        except MemoryError:
            why = Phrase("there was not enough memory to read it")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a type's own code may raise anything
            name, text = type(error).__name__, one_line(str(error), _ERROR_LIMIT)
            why = Phrase("reading it raised {name}: {text}", name=name, text=text)
        return turned_away(WORKER_STAGE, why)


def blamed(names: FieldNames, noted: int | None, row: RawRow, why: Message) -> Readings:
    """The readings of one row on which the worker died; in the owner's process, which reads no text."""
    record, unusable = record_in(row, names)
    readings = Readings()
    readings.keep(Answer(record, unusable or turned_away(WORKER_STAGE, why)), noted)
    return readings
