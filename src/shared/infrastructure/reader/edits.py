"""Edits on a text: how the reader writes down what it repairs, and how a place in the edited text is found again."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from src.shared.domain.repair import Repair, RepairKind

_NEWLINE = re.compile("\n")
FOUND_LIMIT = 40
"""Most characters of the raw text, and of what replaced it, that one repair quotes."""


class Edit(NamedTuple):
    """`length` characters at `offset` are replaced by `put`; no kind means it follows from another edit."""

    offset: int
    length: int
    put: str
    kind: RepairKind | None = None


class EditedText:
    """A slice of a text with edits applied, which can tell where each part came from."""

    def __init__(self, text: str, start: int, end: int, edits: Sequence[Edit]) -> None:
        self._start = start
        self._end = end
        self._edits = edits
        self._map: tuple[list[int], list[int]] | None = None
        pieces: list[str] = []
        at = start
        for offset, removed, put, _ in edits:
            pieces.append(text[at:offset])
            pieces.append(put)
            at = offset + removed
        pieces.append(text[at:end])
        self.text = "".join(pieces)

    def origin(self, position: int) -> int:
        """Offset in the original text of a position in the edited one."""
        if position == len(self.text):
            return self._end
        starts, shifts = self._mapping()
        return position + shifts[bisect_right(starts, position) - 1]

    def _mapping(self) -> tuple[list[int], list[int]]:
        if self._map is None:
            starts, shifts, length, at = [0], [self._start], 0, self._start
            for offset, removed, put, _ in self._edits:
                length += offset - at + len(put)
                at = offset + removed
                starts.append(length)
                shifts.append(at - length)
            self._map = starts, shifts
        return self._map


class LineIndex:
    """Line and column of offsets in one text; reads the text once, on first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []

    def position(self, offset: int) -> dict[str, int]:
        """Return `{line, column, offset}`; line and column count from 1."""
        if not self._starts:
            self._starts = [0, *(newline.end() for newline in _NEWLINE.finditer(self._text))]
        line = bisect_right(self._starts, offset)
        return {"line": line, "column": offset - self._starts[line - 1] + 1, "offset": offset}


def repairs_of(raw: str, edits: Iterable[Edit], lines: LineIndex) -> list[Repair]:
    """The trace of a list of edits, in their order; edits that only follow from another are left out."""
    return [
        Repair(kind, **lines.position(offset), found=_cut(raw[offset : offset + length]), put=_cut(put))
        for offset, length, put, kind in edits
        if kind is not None
    ]


def _cut(text: str) -> str:
    return text if len(text) <= FOUND_LIMIT else text[: FOUND_LIMIT - 1] + "…"
