"""Edits on a text: what the reader repairs, and where a place of the edited text is in the original."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from heapq import merge
from io import StringIO
from itertools import islice
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from src.shared.domain.expression import expression
from src.shared.domain.one_line import shorten
from src.shared.domain.repair import Repair, RepairKind


class Places:
    """The ends of what was replaced, in both texts, in their order."""

    def __init__(self, start: int) -> None:
        self._outside, self._inside = array("q", [start]), array("q", [0])

    def replaced(self, start: int, end: int, length: int) -> None:
        """Note that so many characters were put for those between two offsets of the raw text."""
        before = self._inside[-1] + start - self._outside[-1]
        self._outside.append(end)
        self._inside.append(before + length)

    def inside(self, offset: int) -> int:
        """The place in the decoded text of an offset in the raw one."""
        at = bisect_right(self._outside, offset) - 1
        return self._inside[at] + offset - self._outside[at]

    def outside(self, place: int) -> int:
        """The offset in the raw text of a place in the decoded one."""
        at = self.number(place)
        return self._outside[at] + place - self._inside[at]

    def number(self, place: int) -> int:
        """How many replaced parts end before a place in the decoded text, or at it."""
        return bisect_right(self._inside, place) - 1

    @property
    def end(self) -> int:
        """Where in the decoded text the last replaced part ends; 0 without any."""
        return self._inside[-1]


_NEWLINE = expression("\n")
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


Edits: TypeAlias = Sequence[Edit]
"""Edits of one text in the order of their offsets."""


def merged(one: Edits, other: Edits) -> list[Edit]:
    """Two collections of edits of one text as one."""
    return list(merge(one, other, key=itemgetter(0)))


class EditedText:
    """A slice of a text with edits applied, which can tell where each part came from.

    Attributes:
        text: the edited slice.
    """

    def __init__(self, text: str, start: int, end: int, edits: Edits) -> None:
        self._start = start
        self._edits = edits
        pieces = StringIO(newline="")  # a list of them would take ten times the text
        at = start
        for offset, removed, put, _, _ in edits:
            pieces.write(text[at:offset])
            pieces.write(put)
            at = offset + removed
        pieces.write(text[at:end])
        self.text = pieces.getvalue()

    def origin(self, position: int) -> int:
        """Offset in the original text of a position in the edited one."""
        return self._places.outside(position)

    def exact_origin(self, position: int) -> int | None:
        """The same; None within what an edit put there, which came from no place of its own."""
        origin, edit = self.origin(position), self._edit_at(position)
        return origin if edit is None or origin <= edit.offset else None

    def begin_origin(self, position: int) -> int:
        """The same; within what an edit put there, where that edit begins."""
        origin, edit = self.origin(position), self._edit_at(position)
        return origin if edit is None else min(origin, edit.offset)

    def end_origin(self, position: int) -> int:
        """Offset in the original text behind what ends at a position of the edited one."""
        last, edit = self.origin(position - 1), self._edit_at(position - 1)
        return last + 1 if edit is None or last < edit.offset else edit.offset + edit.length

    def exact_end(self, position: int) -> int | None:
        """The same; None where what ends there is only a part of what an edit put for something else."""
        edit, places = self._edit_at(position - 1), self._places
        is_in_put = edit is not None and edit.length and self.origin(position - 1) >= edit.offset
        return (
            None if is_in_put and places.number(position - 1) == places.number(position) else self.end_origin(position)
        )

    @property
    def edited_to(self) -> int:
        """Where in the edited text the last edit ends; 0 without any."""
        return self._places.end

    def _edit_at(self, position: int) -> Edit | None:
        """The edit that a position is in, or that is the next; None behind all."""
        at = self._places.number(position)
        return self._edits[at] if at < len(self._edits) else None

    @cached_property
    def _places(self) -> Places:
        places = Places(self._start)
        for offset, removed, put, _, _ in self._edits:
            places.replaced(offset, offset + removed, len(put))
        return places


def blanked(text: str, spans: Iterable[tuple[int, int]], sign: str = " ") -> str:
    """The text with blanks in place of some parts, which are in order; a part of what is blank already counts once.

    `sign` is what else may stand in their place.
    """
    pieces, at = StringIO(newline=""), 0
    for start, end in spans:
        if end > at:
            pieces.write(text[at:start])
            pieces.write(sign * (end - max(start, at)))
            at = end
    pieces.write(text[at:])
    return pieces.getvalue()


def span_around(spans: Sequence[tuple[int, int]], place: int) -> tuple[int, int] | None:
    """The one of some spans, which are in order, that a place is in."""
    at = bisect_right(spans, place, key=itemgetter(0)) - 1
    return spans[at] if at >= 0 and place < spans[at][1] else None


class LineIndex:
    """Line and column of offsets in one text; after a few calls it indexes the text once."""

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
    kinds: Counter[RepairKind] = Counter()
    for edit in edits:
        if edit.kind:
            kinds[edit.kind] += edit.times
    return kinds


def kinds_of(edits: Edits) -> frozenset[RepairKind]:
    """Which repairs were made."""
    return frozenset(edit.kind for edit in edits if edit.kind)


def repairs_of(raw: str, edits: Edits, lines: LineIndex) -> list[Repair]:
    """The trace of a list of edits, in their order; edits that only follow from another are left out."""
    if not edits:
        return []
    quote = partial(shorten, limit=FOUND_LIMIT)
    return [
        Repair(kind, **lines.position(offset), found=quote(raw[offset : offset + length]), put=quote(put), count=times)
        for offset, length, put, kind, times in named(edits)
        if kind is not None
    ]
