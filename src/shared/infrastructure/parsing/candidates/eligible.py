"""Selects the values that could be the answer, without looking at their content."""

from __future__ import annotations

from collections.abc import Iterable

from src.shared.domain.reading.reading import Value
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.notes import Span

MAX_CANDIDATES = 256
"""More objects than this in one text are refused without looking at them."""
_CODE_BEFORE = frozenset("(=,")
_BARE = frozenset({RepairKind.UNQUOTED_KEY, RepairKind.UNQUOTED_VALUE})


def could_answer(value: Value, roots: frozenset[Root]) -> bool:
    """Whether a value is an object, a list of objects, or damaged; another list counts where one is asked for."""
    if not isinstance(value.data, list) or "array" in roots:
        return True
    return any(isinstance(item, dict) for item in value.data)


def is_code(value: Value, text: str, code: Iterable[Span]) -> bool:
    """Whether what looks like a damaged object is code: in a block of it, or bare names as an argument."""
    if not value.damaged:
        return False
    before = text[max(0, value.start - 1) : value.start]
    return any(start <= value.start < end for start, end in code) or (
        before in _CODE_BEFORE and any(edit.kind in _BARE for edit in value.edits)
    )
