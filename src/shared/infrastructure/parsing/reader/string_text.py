"""Writes the text of a string as strict JSON, with its quotes and backslashes escaped."""

from __future__ import annotations

from operator import itemgetter
from typing import NamedTuple

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.backslashes import Backslashes, escapes
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.reader.patterns import PLAIN_QUOTES


class Marks(NamedTuple):
    """What was met inside a string on the way to its end.

    Attributes:
        inner: quotes that could have closed it, but did not.
        joints: parts between two pieces of it (`" + "`), as start and end.
    """

    inner: list[int]
    joints: list[tuple[int, int]]


def string_edits(text: str, start: int, end: int, marks: Marks, *, latex: bool, python: bool = False) -> list[Edit]:
    """The edits of a string whose opening quote is at `start` and whose text ends before `end`.

    With `latex`, the text around may hold LaTeX commands that look like escapes; with `python`, its escapes may be
    Python's.

    Raises:
        UnreadableError: its backslashes can be read in two ways.
    """
    inner, joints = marks
    quote, edits, stray = text[start], [], -1
    if quote != '"':
        edits.append(Edit(start, 1, '"', _kind_of(quote)))
        edits += (Edit(at, 1, text[at], RepairKind.UNESCAPED_QUOTE) for at in inner)
    elif inner in ([start + 1], [end - 1]):
        stray = inner[0]
    edits += (Edit(at, to - at, "", RepairKind.STRING_CONCATENATION) for at, to in joints)
    backslashes: Backslashes | None = None
    for at, mark in escapes(text, start + 1, end, joints):
        if at == stray:
            edits.append(Edit(at, 1, "", RepairKind.STRAY_QUOTE))
        elif mark == '"':
            edits.append(Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE if quote == '"' else None))
        else:
            backslashes = backslashes or Backslashes(text, start, end, joints, latex=latex, python=python)
            edit = backslashes.edit(at, mark)
            edits += [edit] if edit else []
    return sorted(edits, key=itemgetter(0))


def _kind_of(quote: str) -> RepairKind:
    return RepairKind.SINGLE_QUOTE if quote in PLAIN_QUOTES else RepairKind.SMART_QUOTE
