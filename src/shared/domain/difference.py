"""Where a repaired text says something else than the damaged text it was made from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PATH_LIMIT = 200
"""Most characters of `Difference.path`."""
EXCERPT_LIMIT = 40
"""Most characters of `Difference.found` and `Difference.answered`."""


class DifferenceKind(StrEnum):
    """What is different; there is no other."""

    VALUE_CHANGED = "value_changed"
    """A string, a number or a literal is another one."""
    NAME_CHANGED = "name_changed"
    """A field has another name."""
    TYPE_CHANGED = "type_changed"
    """A value has another type: a quoted number became a number, a string became null."""
    ADDED = "added"
    """A field or an item that the damaged text does not have."""
    LOST = "lost"
    """Something readable in the damaged text that is not in the answer."""
    STRUCTURE_CHANGED = "structure_changed"
    """The levels or the bounds of the values are others: a bracket, a string taken apart, two strings made one."""
    CUT_OFF = "cut_off"
    """The damaged text ends inside a value; what follows could only be invented."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where an answer departs from the damaged text.

    Attributes:
        kind: what is different.
        path: JSON path in the answer, such as `$.rows[0].score`, cut to PATH_LIMIT characters.
        offset: character in the damaged text, from 0.
        found: what stands there in the damaged text, cut to EXCERPT_LIMIT characters.
        answered: what the answer has instead, cut to EXCERPT_LIMIT characters; empty where it has nothing.
    """

    kind: DifferenceKind
    path: str
    offset: int
    found: str
    answered: str

    def facts(self) -> dict[str, str | int]:
        """The attributes as plain values, for an error's details."""
        return {
            "kind": self.kind.value,
            "path": self.path,
            "offset": self.offset,
            "found": self.found,
            "answered": self.answered,
        }
