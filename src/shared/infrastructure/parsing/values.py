"""A JSON value found in a text, or what looks like one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.edits import Edits, kinds_of
from src.shared.infrastructure.parsing.reader.problem import Problem

_REWRITTEN = frozenset({RepairKind.ESCAPED_JSON, RepairKind.MARKUP})
_BARE = frozenset({RepairKind.UNQUOTED_KEY, RepairKind.UNQUOTED_VALUE})
UNREAD: Any = object()
"""Stands for the data of a value that was located but not decoded yet."""


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value, or what looks like one, at `start`.

    Attributes:
        start: offset of its opening bracket.
        end: offset after it; where reading failed, the place reached.
        data: the decoded value; UNREAD for a damaged one until `decoded` is called.
        edits: the repairs that reading it took, in the order of their offsets.
        problem: why it cannot be read, or None.
        cut: whether it was cut off and only its complete members are kept.
        damaged: whether the tolerant reader read it.
        by_type: whether it has another reading as near, which the type does not fit.
    """

    start: int
    end: int
    data: Any = UNREAD
    edits: Edits = ()
    problem: Problem | None = None
    cut: bool = False
    damaged: bool = False
    by_type: bool = False

    @property
    def is_in_plain_sight(self) -> bool:
        """Whether it cannot be mistaken for words in braces, or for a quoted text inside a text."""
        kinds = kinds_of(self.edits)
        return not kinds & _REWRITTEN and (not kinds or not kinds <= _BARE)
