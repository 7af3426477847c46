"""An object whose first brace was forgotten: `"a": 1, "b": 2}`."""

from __future__ import annotations

import re

from src.shared.domain.reading.edits import Edit
from src.shared.domain.reading.lexicon import MARGIN
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.strict_json import decode_at
from src.shared.domain.reading.tokens import KEY_LIMIT
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.candidates.sole_value import sole_span
from src.shared.infrastructure.parsing.state import ParseState

MEMBER_FIRST = re.compile(rf'\s{{0,{MARGIN}}}+"[^"\\\n]{{1,{KEY_LIMIT}}}+"[ \t\n\r]{{0,{MARGIN}}}+:')


def unopened_sole_value(state: ParseState) -> Value | None:
    """The object that fills the one span once its first brace is put there; None if it does not.

    Not where a part of it has the type's fields on its own: that may be the answer.
    """
    span = sole_span(state)
    if span is None or not MEMBER_FIRST.match(state.text, span.start, span.end) or state.text[span.end - 1] != "}":
        return None
    if state.text[span.start : span.end] != state.raw[span.start : span.end]:
        return None  # a mark of reasoning was dropped, perhaps out of a string
    try:
        data, end, edits = decode_at("{" + state.text[span.start : span.end], 0)
    except (ValueError, RecursionError):
        return None
    if end != span.end - span.start + 1 or _has_answer_inside(state, span.start, span.end):
        return None
    moved = [edit._replace(offset=edit.offset + span.start - 1) for edit in edits]
    return Value(
        span.start, span.end, data, (Edit(span.start, 0, "{", RepairKind.MISSING_BRACKET), *moved), damaged=True
    )


def _has_answer_inside(state: ParseState, start: int, end: int) -> bool:
    if not state.target.own_keys():
        return False
    inside = (state.scanner.decoded(value) for value in state.scanner.values(start, end))
    return any(value.problem is None and state.target.known(value.data) for value in inside)
