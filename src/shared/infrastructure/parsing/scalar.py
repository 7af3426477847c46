"""Reads a text whose whole answer is one value: `BUY`, `**42**`, `The answer is no.`.

The text is the value alone, marks around it apart, or it names the value behind a label in its last sentence. Whatever
else stands beside the value there (not, maybe, about, "or HOLD", a unit) makes it no value, and the text is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.coercion.scalars import MAY_BE_THOUSANDS, ScalarReader, ScalarReading, Sureness, is_doubtful
from src.shared.domain.edits import Edit
from src.shared.domain.exceptions import LLMJsonParseError, json_path
from src.shared.domain.parse_reasons import MAY_GO_ON, NO_SCALAR, NOT_STATED, SEVERAL_ANSWERS
from src.shared.domain.strict_json import json_as_written
from src.shared.domain.type_shapes import ROOTS
from src.shared.infrastructure.parsing.paths import span_of
from src.shared.infrastructure.parsing.remarks import heading_of
from src.shared.infrastructure.parsing.state import (
    ALONE,
    PASSED_OVER,
    STATED,
    UNWRAPPED,
    Note,
    ParseState,
    Span,
    changed,
    layers_of,
)
from src.shared.infrastructure.parsing.statements import (
    MOST_LABELS,
    Statement,
    labels_in,
    lead_of,
    sentence_of,
    statements,
    without_marks,
)

if TYPE_CHECKING:
    from src.shared.infrastructure.parsing.target_type import TargetType


class _Value(NamedTuple):
    """A word in the text, and what it says."""

    span: Span
    reading: ScalarReading


def _reader(state: ParseState) -> ScalarReader:
    return cast("TargetType[Any]", state.target.dto_type).scalars


def read_scalar(state: ParseState, search: Callable[[ParseState], ParseState]) -> ParseState:
    """The state with the one value that the text is, or names at its end; `search` finds the object that may wrap it.

    Raises:
        LLMJsonParseError: it is none, or names several.
    """
    forms = [*without_marks(state.text, 0, len(state.text))]
    value = _value_of(state, forms)
    if value and value.reading.sureness < Sureness.DOUBTED:
        return _with_value(state, value, ALONE)
    try:
        return _stated(state, forms)
    except LLMJsonParseError as error:
        is_wrapped = state.target.read_as.unwrap and not {"{", "["}.isdisjoint(state.text)
        if value and not is_wrapped:
            return _with_value(state, value, ALONE)
        if not is_wrapped or error.details.get("candidates"):
            raise
    return _wrapped(state, search)


def _readings(state: ParseState, word: str) -> list[ScalarReading]:
    return _reader(state).readings(word, as_written=state.target.reads_decimals)


def _value_of(state: ParseState, forms: Iterable[tuple[int, int]]) -> _Value | None:
    """The one value that a part of the text is, by its forms without marks; None where it is none, or two."""
    found = [_Value(Span(*form), one) for form in forms for one in _readings(state, state.text[slice(*form)])]
    surest = min((one.reading.sureness for one in found), default=0)
    values = {json.dumps(one.reading.said, default=str): one for one in found if one.reading.sureness == surest}
    return next(iter(values.values())) if len(values) == 1 else None


def _with_value(state: ParseState, value: _Value, action: str, *before: Note) -> ParseState:
    """The state with a value as its data, what reading it took, and notes of where it stands.

    Raises:
        LLMJsonParseError: it touches the end of a text that may go on, and a longer value begins so.
    """
    span, (data, _, kind, put, _) = value
    word = state.text[span.start : span.end]
    is_over = state.target.finished or span.end < len(state.text)
    if not is_over and _reader(state).may_go_on(word):
        raise state.refused(MAY_GO_ON, "extract", span.start, truncated=True)
    notes = (*state.notes, *before, Note("extract", action, span), Note("extract", "chosen", span))
    edits, coercions = state.edits, state.coercions
    if isinstance(kind, CoercionKind):
        coercions = (*coercions, Coercion(kind, json_path(()), word, data))
    elif kind:
        edits = (Edit(span.start, len(word), put, kind),)
    return changed(state, data=data, edits=edits, coercions=coercions, notes=notes)


def _stated(state: ParseState, forms: Iterable[tuple[int, int]]) -> ParseState:
    """The state with the value that the last statement of the text names."""
    labels = labels_in(state.text)
    if len(labels) > MOST_LABELS:
        raise state.refused(SEVERAL_ANSWERS, "extract", labels[-1].start())
    last: Statement | None = None
    start = 0
    for start, end in forms:
        named = statements(state.text, start, end, labels)
        last = named[-1] if named else None
        value = _named_value(state, last) if last and last.is_plain else None
        if last and value and not (last.is_pointed and MAY_BE_THOUSANDS.fullmatch(state.text, *value.span)):
            return _with_value(state, value, STATED, *_beside(state, named, value))
    if last is None or last.is_plain:
        raise state.refused(NO_SCALAR, "extract", last.start if last else start)
    raise state.refused(NOT_STATED, "extract", last.label)


def _named_value(state: ParseState, last: Statement) -> _Value | None:
    """The value that the last statement names; a box behind it has to say the same."""
    value = _value_of(state, without_marks(state.text, last.start, last.end))
    if value or last.box is None:
        return value
    value, again = (
        _value_of(state, without_marks(state.text, *part)) for part in ((last.start, last.box), (last.box, last.end))
    )
    return value if value and again and value.reading.said == again.reading.said else None


def _beside(state: ParseState, named: Sequence[Statement], value: _Value) -> Sequence[Note]:
    """Notes on earlier answers that are passed over.

    Raises:
        LLMJsonParseError: the answer is an example, or another one stands before it and the last is not asked for.
    """
    *earlier, last = named
    if heading_of(state.text, last.label, of_reasoning=False):
        raise state.refused(NOT_STATED, "extract", last.label)
    other = next((one for one in earlier if _differs(state, one, value)), None)
    if other is None:
        return ()
    if state.target.several != "last":
        raise state.refused(SEVERAL_ANSWERS, "extract", last.label, among=(other.label, last.label))
    passed_over = Note("extract", PASSED_OVER, Span(*sentence_of(state.text, other)))
    return Note("extract", "took the last", value.span), passed_over


def _differs(state: ParseState, statement: Statement, value: _Value) -> bool:
    """Whether an earlier statement names another value, or speaks of values otherwise than plainly of this one."""
    start, end = sentence_of(state.text, statement)
    one = _value_of(state, without_marks(state.text, start, end))
    if one and one.reading.sureness < Sureness.DOUBTED:
        return one.reading.said != value.reading.said or is_doubtful(lead_of(state.text, statement))
    return _reader(state).is_doubted(state.text[start:end], state.text[slice(*value.span)], value.reading)


def _wrapped(state: ParseState, search: Callable[[ParseState], ParseState]) -> ParseState:
    """The state with the value under the one key of an object, or in a list of one.

    Raises:
        LLMJsonParseError: the text has no such object, or it is not one value that it wraps.
    """
    asked, as_written, any_root = state.target, state.target.reads_decimals, ROOTS["any"]
    target = replace(asked, dto_type=None, decoded_roots=any_root, normalizers=(), keep=None, as_written=as_written)
    outer = search(ParseState.of(state.raw, target))
    data, path = layers_of(outer.data, state.target.roots)[-1]
    is_one = not isinstance(data, (dict, list))
    found = _readings(state, data if isinstance(data, str) else json_as_written(data)) if is_one else []
    start, end = outer.chosen or (0, len(state.text))
    named = statements(state.text, 0, len(state.text), labels_in(state.text))
    other = [one for one in named if not start < one.label < end]
    parts = [(0, len(state.text)), *((one.start, one.end) for one in other)]
    is_alone = any((start, end) in without_marks(state.text, *part) for part in parts)
    is_cited = isinstance(outer.data, list) and not isinstance(data, str) and not is_alone  # `see [1]`
    if is_cited or len(found) != 1 or any(sentence_of(state.text, one)[0] != start for one in other):
        raise state.refused(NO_SCALAR, "extract", start)
    note = Note("root", UNWRAPPED, Span(*span_of(outer, path)))
    taken = Coercion(CoercionKind.WRAPPER, json_path(path), outer.data, found[0].data)
    notes = (*outer.notes, note)
    return changed(outer, target=state.target, data=found[0].data, notes=notes, inside=path, coercions=(taken,))
