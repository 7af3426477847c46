"""What is met in a dialect in other signs than those of JSON: little is kept of each, and its edits are made anew."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator

from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.resolve.dialect import WIDE
from src.shared.infrastructure.parsing.resolve.string_edits import edits_in_dialect

_GROUPS = ("text", "single", "single_value", "curly", "literal", "bare_key", "dropped", "wide", "comment")
_NUMBER_OF = {group: number for number, group in enumerate(_GROUPS)}


class Spelled:
    """Where signs stand that are not as JSON has them, and which group of the dialect's expression matched each."""

    __slots__ = ("_ends", "_groups", "_starts", "end", "is_quoting")

    def __init__(self, end: int) -> None:
        """Begin with none; `end` is where the expression stops."""
        self.end = end
        self.is_quoting = False
        self._starts, self._ends, self._groups = array("L"), array("L"), bytearray()

    def add(self, group: str, start: int, end: int) -> None:
        """One more, behind those before."""
        self._starts.append(start)
        self._ends.append(end)
        self._groups.append(_NUMBER_OF[group])

    def __len__(self) -> int:
        """How many there are."""
        return len(self._groups)

    @property
    def last(self) -> int:
        """Where the last one ends; -1 without any."""
        return self._ends[-1] if self._ends else -1

    def behind(self, at: int) -> int:
        """How many stand behind an offset."""
        return len(self._starts) - bisect_left(self._starts, at)

    def edits(self, raw: str, until: int) -> Iterator[Edit]:
        """The edits of what was met before an offset."""
        before = zip(self._groups, self._starts[: bisect_left(self._starts, until)], self._ends, strict=False)
        for number, start, end in before:
            group = _GROUPS[number]
            if group == "dropped":
                yield Edit(start, 1, "", K.TRAILING_COMMA)
            elif group == "wide":
                yield Edit(start, 1, WIDE[raw[start]], K.FULL_WIDTH_PUNCTUATION)
            elif group == "bare_key":
                yield Edit(start, end - start, f'"{raw[start:end]}"', K.UNQUOTED_KEY)
            elif group == "comment":
                yield Edit(start, end - start, " ", K.COMMENT)
            else:
                yield from edits_in_dialect(raw, group.removesuffix("_value"), start, end)
