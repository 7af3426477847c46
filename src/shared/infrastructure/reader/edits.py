"""Edits on a text: how the reader writes down what it repairs, and how a place in the edited text is found again."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from io import StringIO
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from src.shared.domain.repair import Repair, RepairKind

_NEWLINE = re.compile("\n")
FOUND_LIMIT = 40
"""Most characters of the raw text, and of what replaced it, that one repair quotes."""
_FEW = 8
"""Edits that take less as they are than packed, and places whose lines are counted rather than looked up."""
NAMED_REPAIRS = 10_000
"""Most repairs of one text that a trace names one by one; the last one of each kind counts those that follow."""


class Edit(NamedTuple):
    """`length` characters at `offset` are replaced by `put`; no kind means it follows from another edit.

    `times` is how many repairs it stands for: the control characters of one string are one edit at the first of them.
    """

    offset: int
    length: int
    put: str
    kind: RepairKind | None = None
    times: int = 1


Rule: TypeAlias = tuple[RepairKind, Callable[[str], str]]
"""A kind of repair that always puts the same in the place of the same."""


class PackedEdits:
    """Edits made by a few rules, and the text they make: each is a place and the number of its rule.

    They take some 20 bytes each instead of 180: what is put is worked out again when somebody asks.
    """

    def __init__(self, text: str, start: int, rules: Sequence[Rule]) -> None:
        self._text = text
        self._rules = rules
        self._puts = [put for _, put in rules]
        self._edited = StringIO(newline="")
        self._at = start
        self.start = start
        self._places = array("q"), array("i"), array("i"), bytearray()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._places[0])

    def __iter__(self) -> Iterator[Edit]:
        """Each edit as one."""
        for offset, length, _, number in zip(*self._places, strict=True):
            kind, put = self._rules[number]
            yield Edit(offset, length, put(self._text[offset : offset + length]), kind)

    def extend(self, found: Sequence[tuple[int, int, int]]) -> None:
        """Note edits beyond all others: of each its start and end, and the number of its rule."""
        text, at, puts = self._text, self._at, self._puts
        pieces: list[str] = []
        for start, end, number in found:
            pieces += (text[at:start], puts[number](text[start:end]))
            at = end
        self._at = at
        self._edited.write("".join(pieces))
        offsets, lengths, put, numbers = self._places
        offsets.extend([start for start, _, _ in found])
        lengths.extend([end - start for start, end, _ in found])
        put.extend(map(len, pieces[1::2]))
        numbers.extend([number for _, _, number in found])

    def applied(self, end: int) -> str:
        """The text up to `end`, edited."""
        return self._edited.getvalue() + self._text[self._at : end]

    def lengths(self) -> Iterator[tuple[int, int, int]]:
        """Of every edit: the offset, how many characters go, how many come."""
        return zip(*self._places[:3], strict=True)

    def kept(self, end: int) -> Edits:
        """The edits before `end`: these, or a tuple of a few. No more can be added, nor is there an edited text."""
        kept = bisect_left(self._places[0], end)
        for column in self._places:
            del column[kept:]
        self._edited = StringIO()
        return self if kept > _FEW else tuple(self)

    def counted(self, start: int = 0) -> Counter[RepairKind]:
        """How often each repair was made, from the `start`-th edit on."""
        kinds: Counter[RepairKind] = Counter()
        for number, times in Counter(self._places[3][start:]).items():
            kinds[self._rules[number][0]] += times
        return kinds


class MergedEdits:
    """Two collections of edits of one text as one."""

    def __init__(self, one: Edits, other: Edits) -> None:
        self.parts = one, other

    def __len__(self) -> int:
        """How many there are in both."""
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Edit]:
        """In the order of their offsets."""
        return merge(*self.parts, key=itemgetter(0))


Edits: TypeAlias = Sequence[Edit] | PackedEdits | MergedEdits
"""Edits of one text in the order of their offsets."""


class EditedText:
    """A slice of a text with edits applied, which can tell where each part came from."""

    def __init__(self, text: str, start: int, end: int, edits: Edits) -> None:
        self._start = start
        self._end = end
        self._edits = edits
        self._map: tuple[array[int], array[int]] | None = None
        self.text = edits.applied(end) if isinstance(edits, PackedEdits) else _applied(text, start, end, edits)

    def origin(self, position: int) -> int:
        """Offset in the original text of a position in the edited one."""
        if position == len(self.text):
            return self._end
        starts, shifts = self._mapping()
        return position + shifts[bisect_right(starts, position) - 1]

    def _mapping(self) -> tuple[array[int], array[int]]:
        if self._map is None:
            starts, shifts, length, at = array("q", [0]), array("q", [self._start]), 0, self._start
            edits = self._edits
            changes = edits.lengths() if isinstance(edits, PackedEdits) else _lengths(edits)
            for offset, removed, put in changes:
                length += offset - at + put
                at = offset + removed
                starts.append(length)
                shifts.append(at - length)
            self._map = starts, shifts
        return self._map


def _applied(text: str, start: int, end: int, edits: Edits) -> str:
    pieces = StringIO(newline="")  # a list of them would take ten times the text
    at = start
    for offset, removed, put, _, _ in edits:
        pieces.write(text[at:offset])
        pieces.write(put)
        at = offset + removed
    pieces.write(text[at:end])
    return pieces.getvalue()


def _lengths(edits: Edits) -> Iterator[tuple[int, int, int]]:
    return ((offset, length, len(put)) for offset, length, put, _, _ in edits)


class LineIndex:
    """Line and column of offsets in one text; one that is asked more than a few times reads the text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._asked = 0
        self._starts: array[int] = array("q")

    def position(self, offset: int) -> dict[str, int]:
        """Return `{line, column, offset}`; line and column count from 1."""
        self._asked += 1
        if self._asked <= _FEW:
            line = self._text.count("\n", 0, offset) + 1
            return {"line": line, "column": offset - self._text.rfind("\n", 0, offset), "offset": offset}
        if not self._starts:
            self._starts = array("q", [0])
            self._starts.extend(newline.end() for newline in _NEWLINE.finditer(self._text))
        line = bisect_right(self._starts, offset)
        return {"line": line, "column": offset - self._starts[line - 1] + 1, "offset": offset}


def named(edits: Iterable[Edit], most: int = NAMED_REPAIRS) -> list[Edit]:
    """The first `most` edits with a kind; the last one of each kind, or the first after them, counts the rest."""
    if isinstance(edits, MergedEdits):
        edits = sorted(chain.from_iterable(named(part, most) for part in edits.parts), key=itemgetter(0))
    telling = (edit for edit in edits if edit.kind)
    kept = list(islice(telling, most))
    last = {edit.kind: at for at, edit in enumerate(kept)}
    more: Counter[RepairKind | None] = Counter()
    for edit in telling:
        if edit.kind in last:
            more[edit.kind] += edit.times
        else:
            last[edit.kind] = len(kept)
            kept.append(edit)
    for kind, times in more.items():
        edit = kept[last[kind]]
        kept[last[kind]] = edit._replace(times=edit.times + times)
    return kept


def counted(edits: Iterable[Edit]) -> Counter[RepairKind]:
    """How often each repair was made."""
    if isinstance(edits, PackedEdits):
        return edits.counted()
    if isinstance(edits, MergedEdits):
        return sum(map(counted, edits.parts), Counter[RepairKind]())
    kinds: Counter[RepairKind] = Counter()
    for edit in edits:
        if edit.kind:
            kinds[edit.kind] += edit.times
    return kinds


def repairs_of(raw: str, edits: Edits, lines: LineIndex) -> list[Repair]:
    """The trace of a list of edits, in their order; edits that only follow from another are left out."""
    if not edits:
        return []
    return [
        Repair(kind, **lines.position(offset), found=_cut(raw[offset : offset + length]), put=_cut(put), count=times)
        for offset, length, put, kind, times in named(edits)
        if kind is not None
    ]


def _cut(text: str) -> str:
    return text if len(text) <= FOUND_LIMIT else text[: FOUND_LIMIT - 1] + "…"
