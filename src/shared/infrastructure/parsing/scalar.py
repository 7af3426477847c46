"""Reads a text whose whole answer is one value: `BUY`, `**42**`, `The answer is no.`.

The text is the value alone, marks around it apart, or it names the value behind a label in its last sentence. Whatever
else stands beside the value there (not, maybe, about, "or HOLD", a unit) makes it no value, and the text is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from src.shared.domain.coercion.coercion import Coercion, CoercionKind, Doubt, Read
from src.shared.domain.coercion.scalars import MAY_BE_THOUSANDS, ScalarReader, ScalarReading, is_doubtful
from src.shared.domain.edits import Edit
from src.shared.domain.exceptions import LLMJsonParseError, json_path
from src.shared.domain.parse_reasons import MAY_GO_ON, NO_SCALAR, NOT_STATED, SEVERAL_ANSWERS
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
    """A word in the text, and its value; None where coercion alone reads the word, or has a doubt of it."""

    span: Span
    found: ScalarReading | None = None
    is_doubted: bool = False


def _reader(state: ParseState) -> ScalarReader:
    return cast("TargetType[Any]", state.target.dto_type).scalars


def read_scalar(state: ParseState, search: Callable[[ParseState], ParseState]) -> ParseState:
    """The state with the one value that the text is, or names at its end; `search` finds the object that may wrap it.

    Raises:
        LLMJsonParseError: it is none, or names several.
    """
    forms = [Span(*form) for form in without_marks(state.text, 0, len(state.text))]
    value = _value_of(state, forms)
    if value and not value.is_doubted:
        return _with_value(state, value, ALONE)
    try:
        return _stated(state, forms)
    except LLMJsonParseError as error:
        if value:
            return _with_value(state, value, ALONE)
        is_wrapped = state.target.read_as.unwrap and not {"{", "["}.isdisjoint(state.text)
        if not is_wrapped or error.details.get("candidates"):
            raise
    return _wrapped(state, search)


def _value_of(state: ParseState, forms: Iterable[tuple[int, int]]) -> _Value | None:
    """The one value that a part of the text is, by its forms without marks; None where it is none, or two."""
    scalars, text = _reader(state), state.text
    read: dict[str, _Value] = {}
    coerced: dict[str, _Value] = {}
    doubted: list[_Value] = []
    for start, end in forms:
        word = text[start:end]
        for found in scalars.read(word, as_written=state.target.reads_decimals):
            read.setdefault(json.dumps(found.data, default=str), _Value(Span(start, end), found))
        outcome = scalars.coerced(word)
        if isinstance(outcome, Read):
            coerced.setdefault(json.dumps(outcome.after, default=str), _Value(Span(start, end)))
        elif isinstance(outcome, Doubt):
            doubted.append(_Value(Span(start, end), is_doubted=True))
    values = [*(read or coerced).values()] or doubted[-1:]
    return values[0] if len(values) == 1 else None


def _with_value(state: ParseState, value: _Value, action: str, *before: Note) -> ParseState:
    """The state with a value as its data, what reading it took, and notes of where it stands.

    Raises:
        LLMJsonParseError: it touches the end of a text that may go on, and a longer value begins so.
    """
    span, found, _ = value
    word = state.text[span.start : span.end]
    is_over = state.target.finished or span.end < len(state.text)
    if not is_over and _reader(state).may_go_on(word):
        raise state.refused(MAY_GO_ON, "extract", span.start, truncated=True)
    notes = (*state.notes, *before, Note("extract", action, span), Note("extract", "chosen", span))
    if found is None:  # it is coerced, or refused, when it is validated
        return changed(state, data=word, notes=notes)
    edits, coercions = state.edits, state.coercions
    if isinstance(found.kind, CoercionKind):
        coercions = (*coercions, Coercion(found.kind, json_path(()), word, found.data))
    elif found.kind:
        edits = (Edit(span.start, len(word), found.put, found.kind),)
    return changed(state, data=found.data, edits=edits, coercions=coercions, notes=notes)


def _stated(state: ParseState, forms: Sequence[Span]) -> ParseState:
    """The state with the value that the last statement of the text names."""
    labels = labels_in(state.text)
    if len(labels) > MOST_LABELS:
        raise state.refused(SEVERAL_ANSWERS, "extract", labels[-1].start())
    last: Statement | None = None
    for start, end in forms:
        named = statements(state.text, start, end, labels)
        last = named[-1] if named else None
        value = _value_of(state, without_marks(state.text, last.start, last.end)) if last and last.is_plain else None
        if last and value and not (last.is_pointed and MAY_BE_THOUSANDS.fullmatch(state.text, *value.span)):
            return _with_value(state, value, STATED, *_beside(state, named, value))
    if last is None or last.is_plain:
        raise state.refused(NO_SCALAR, "extract", last.start if last else forms[-1].start)
    raise state.refused(NOT_STATED, "extract", last.label)


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
    word = state.text[value.span.start : value.span.end]
    one = _value_of(state, without_marks(state.text, start, end))
    if one and not one.is_doubted:
        same = state.text[one.span.start : one.span.end] == word
        is_same = same or (one.found and value.found and one.found.data == value.found.data)
        return not is_same or is_doubtful(lead_of(state.text, statement))
    return _reader(state).is_doubted(state.text[start:end], word, value.found or ScalarReading(word))


def _wrapped(state: ParseState, search: Callable[[ParseState], ParseState]) -> ParseState:
    """The state with the value under the one key of an object, or in a list of one.

    Raises:
        LLMJsonParseError: the text has no such object, or it is not one value that it wraps.
    """
    target = replace(state.target, dto_type=None, decoded_roots=ROOTS["any"], normalizers=(), keep=None)
    outer = search(ParseState.of(state.raw, target))
    data: Any = outer.data
    path: tuple[str | int, ...] = ()
    kinds = set[type]()
    while isinstance(data, (dict, list)) and len(data) == 1 and type(data) not in kinds:
        kinds.add(type(data))
        path += (0 if isinstance(data, list) else next(iter(data)),)
        data = data[path[-1]]  # type: ignore[index]  # a key of its own
    found = [] if isinstance(data, (dict, list)) else _reader(state).read_data(data)
    start, end = outer.chosen or (0, len(state.text))
    named = statements(state.text, 0, len(state.text), labels_in(state.text))
    other = [one for one in named if not start < one.label < end]
    if len(found) != 1 or any(sentence_of(state.text, one)[0] != start for one in other):
        raise state.refused(NO_SCALAR, "extract", start)
    note = Note("root", UNWRAPPED, Span(*span_of(outer, path)))
    taken = Coercion(CoercionKind.WRAPPER, json_path(path), outer.data, found[0].data)
    notes = (*outer.notes, note)
    return changed(outer, target=state.target, data=found[0].data, notes=notes, inside=path, coercions=(taken,))
