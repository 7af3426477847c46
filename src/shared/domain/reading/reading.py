"""What comes out of a reading: a JSON value with its edits, or the one reason why there is none, and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from src.shared.domain.edits import Edits, kinds_of
from src.shared.domain.parse_reasons import ROWS_WITHOUT_END, TRUNCATED, Reason
from src.shared.domain.repair import RepairKind


class Problem(NamedTuple):
    """Why the reader gave up, and where; `other` is the second place where two readings compete."""

    offset: int
    reason: Reason
    other: int | None = None

    @property
    def truncated(self) -> bool:
        """Whether the text simply ends too early."""
        return self.reason is TRUNCATED or self.reason is ROWS_WITHOUT_END


NO_STRING_END = Reason("no quote here can end the string")
NO_VALUE = Reason("a value is expected here")
NO_KEY = Reason("a key is expected here")
NO_COMMA = Reason("a comma or a closing bracket is expected here")
ELISION = Reason("something was left out here")
PLACEHOLDER = Reason("only an ellipsis stands here in place of the contents")
PYTHON_SET = Reason("a set of Python stands here; a list is written […]")


def constructed(name: str) -> Reason:
    """A call of that name stands where a value is expected, such as `Decimal('9.90')`."""
    return Reason("{name}(…) is no value of JSON", name=name)


_REWRITTEN = frozenset({RepairKind.ESCAPED_JSON, RepairKind.MARKUP})
_BARE = frozenset({RepairKind.UNQUOTED_KEY, RepairKind.UNQUOTED_VALUE})
UNREAD: Any = object()
"""Stands for data that nobody has decoded."""


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value, or what looks like one, at `start`.

    Attributes:
        start: offset of its opening bracket.
        end: offset after it; where reading failed, the place reached.
        data: the decoded value; UNREAD where there is a problem.
        edits: the repairs that reading it took, in the order of their offsets.
        problem: why it cannot be read, or None.
        cut: whether it was cut off and only its complete members are kept.
        damaged: whether the tolerant reader read it.
        passed_over: where another reading differs that is as near and that the type does not fit; None without one.
    """

    start: int
    end: int
    data: Any = UNREAD
    edits: Edits = ()
    problem: Problem | None = None
    cut: bool = False
    damaged: bool = False
    passed_over: Problem | None = None

    @property
    def is_in_plain_sight(self) -> bool:
        """Whether it cannot be mistaken for words in braces, or for a quoted text inside a text."""
        kinds = kinds_of(self.edits)
        return not kinds & _REWRITTEN and (not kinds or not kinds <= _BARE)
