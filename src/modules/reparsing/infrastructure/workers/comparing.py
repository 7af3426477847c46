"""The handler that compares: a row and what the new parser made of it in, what the old one makes of it out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from src.modules.reparsing.domain.comparing import NewAnswer, compare
from src.modules.reparsing.domain.comparison import ERROR_LIMIT, Comparison, OldAnswer
from src.modules.reparsing.domain.exceptions import UnusableRowError
from src.modules.reparsing.domain.record import FieldNames, RawRow, Record
from src.modules.reparsing.infrastructure.rows import compared_line, read_row
from src.modules.reparsing.infrastructure.workers.old_parser import OldParser
from src.modules.reparsing.infrastructure.workers.reading import Readings
from src.modules.reparsing.infrastructure.workers.task import Task
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

_STDERR = 2
_decoded = json.JSONDecoder().decode
"""Not `json.loads`, which the old parser's code may have replaced."""
_LEVELS = sys.getrecursionlimit()
"""As it is before the old parser's code may change it."""


class ReadRow(NamedTuple):
    """A row that the new parser is done with.

    Attributes:
        row: the row.
        line: its line in one of the outputs.
        is_read: in which: the text was read, or refused.
    """

    row: RawRow
    line: bytes
    is_read: bool


@dataclass(slots=True)
class Comparisons:
    """What two parsers made of some rows, in their order: the lines of the output, and the counts."""

    lines: list[bytes] = field(default_factory=list)
    comparison: Comparison = field(default_factory=Comparison)

    def keep(self, record: Record, old: OldAnswer, item: ReadRow) -> None:
        """Take up the two answers for one row."""
        sys.setrecursionlimit(_LEVELS * 2)  # what could be written with a bound must be read with any stack below
        try:
            self.lines.append(compared_line(compare(record, old, _new_answer(item), self.comparison)))
        finally:
            sys.setrecursionlimit(_LEVELS)


def read_rows(rows: Sequence[RawRow], readings: Readings) -> list[ReadRow]:
    """The rows with what came of them."""
    parsed, refused = iter(readings.parsed), iter(readings.refused)
    return [
        ReadRow(row, next(parsed if is_read else refused), is_read)
        for row, is_read in zip(rows, readings.is_read, strict=True)
    ]


def comparing_task(function: str, names: FieldNames, agent: str | None = None, folder: str = "") -> Task:
    """The task of asking an old parser and comparing.

    Args:
        function: `package.module:function` of the old parser.
        names: which field of a row holds what.
        agent: whose output all rows are; None where their own field says it.
        folder: as for `Task`.
    """
    arguments = {"function": function, "names": names, "agent": agent}
    return Task(f"{__name__}:comparing_handler", arguments, folder)


def comparing_handler(function: str, names: FieldNames, agent: str | None) -> ComparingHandler:
    """The handler in a process of its own, whose stderr goes nowhere: it is the old parser's.

    Raises:
        BatchReaderError: there is no such function, or it cannot be called with a text.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, _STDERR)
    os.close(nothing)
    return ComparingHandler(function, names, agent)


class ComparingHandler:
    """Asks the old parser for each row. No row raises anything."""

    def __init__(self, function: str, names: FieldNames, agent: str | None = None) -> None:
        """As `comparing_task`.

        Raises:
            BatchReaderError: there is no such function, or it cannot be called with a text.
        """
        self._old = OldParser(function)
        self._names = names
        self._agent = agent
        self._comparisons = Comparisons()

    def handle(self, item: ReadRow) -> None:
        """Ask the old parser and compare."""
        try:
            record = read_row(item.row, self._names)
        except UnusableRowError as error:
            record, old = Record(item.row.place, error.id), _not_asked()
        else:
            old = self._old.answer(record.text or "", self._agent or record.agent)
        self._comparisons.keep(record, old, item)

    def take(self) -> Comparisons:
        """What came of the rows since the last time."""
        taken, self._comparisons = self._comparisons, Comparisons()
        return taken


@dataclass(frozen=True)
class OldBlame:
    """Makes what came of a row on which the old parser's process died; in the owner's process, which asks no parser."""

    names: FieldNames

    def __call__(self, item: ReadRow, why: Message) -> Comparisons:
        """The comparison of this one row."""
        comparisons = Comparisons()
        try:
            record, old = read_row(item.row, self.names), OldAnswer(error=one_line(why.text(), ERROR_LIMIT))
        except UnusableRowError as error:
            record, old = Record(item.row.place, error.id), _not_asked()
        comparisons.keep(record, old, item)
        return comparisons


def _not_asked() -> OldAnswer:
    return OldAnswer(error=Message("未询问：该行没有文本", "not asked: the row holds no text").text())


def _new_answer(item: ReadRow) -> NewAnswer:
    line = _decoded(item.line.decode())
    return NewAnswer(line["data"]) if item.is_read else NewAnswer(error=line["message"])
