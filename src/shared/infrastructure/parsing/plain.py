"""The plain way: reads a text that is one undamaged JSON value, with the usual wrapping or none.

The stages would read the same value and leave the same notes. The plain way needs neither the stages nor the reader of
damaged text; they are imported with the first text that needs them.

The shortest of it lets Pydantic read the JSON itself, or without a type the standard decoder. The validation is the
same as in the long way, which writes the decoded data as JSON again (`as_json.py`). A text that is refused here takes
the long way, which makes the error. This way does not notice duplicate keys and NaN. The value is the same as in the
long way (the last key wins), and the trace, which is computed when it is accessed, reports them.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from pydantic_core import from_json

from src.shared.domain.expression import expression
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.reading.strict_json import OddError, decode_at, is_damage, strict
from src.shared.domain.type_shapes import ROOTS, Root, Rows
from src.shared.infrastructure.parsing.as_json import has_inexact_number, says_more_than_floats
from src.shared.infrastructure.parsing.state import ParseState, Target, changed
from src.shared.infrastructure.parsing.target_type import TargetType
from src.shared.infrastructure.parsing.wrapping import Wrapped, unwrapped

T = TypeVar("T")

_NO_FIELDS: frozenset[str] = frozenset()
_BLANKS = " \t\n\r"
_ESCAPED_LETTER = "\\u00"
"""How a letter of ASCII begins that is written as an escape."""
_FIRST_ROW = expression(r'\[\s*+\{\s*+("[^"\\]*+")\s*+:')
_ROOT_OF: dict[str, Root] = {"{": "object", "｛": "object", "[": "array"}


class Direct(NamedTuple, Generic[T]):
    """A validated object."""

    value: T


def validate_directly(raw: str, target: TargetType[T]) -> Direct[T] | None:
    """The validated object if the text is clean JSON for it; None if the long way must decide."""
    wrapped = unwrapped(raw, target.own_keys, lists=target.roots != ROOTS["object"])
    if wrapped is None or _ROOT_OF[raw[wrapped.start]] not in target.roots:
        return None
    text = raw[wrapped.start : wrapped.end]
    try:
        value = target.adapter.validate_json(text)
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return None
    return None if _wants_the_long_way(text, value, target) else Direct(value)


def decode_directly(raw: str, roots: frozenset[Root]) -> Any:  # noqa: ANN401 - decoded JSON
    """The data of a text that is clean JSON with one of these roots; UNREAD if the long way must decide."""
    wrapped = unwrapped(raw, _NO_FIELDS, lists=roots == ROOTS["array"])
    if wrapped is None or _ROOT_OF[raw[wrapped.start]] not in roots:
        return UNREAD
    try:
        data, end = strict(raw, wrapped.start)
    except (ValueError, RecursionError, OddError):
        return UNREAD
    return data if end == wrapped.end else UNREAD


def _wants_the_long_way(text: str, value: object, target: TargetType[Any]) -> bool:
    """Whether a valid text may still be refused, or lose the digits of a `Decimal` to a float."""
    if target.reads_decimals and says_more_than_floats(text):
        return True
    may_be_inexact = ("-" in text and "-0" in text) or (target.reads_integers and "." in text and ".0" in text)
    if may_be_inexact and has_inexact_number(text):
        return True
    if target.rows and _may_run_together(text, target.rows) and not _has_each_key_once(text):
        return True
    return target.may_lack_fields and bool(target.foreign_objects(from_json(text), value))


def _may_run_together(text: str, rows: Rows) -> bool:
    """Whether rows may be run together in a JSON text that satisfies the type; counted, since clean text pays for it.

    They are not where each row begins with its first required key, and that key stands nowhere else.
    """
    if "\\" in text and _ESCAPED_LETTER in text:  # one character is looked for much faster than four
        return True
    if rows.free and not _begin_alike(text):
        return True
    return any(_stands_inside(text, f'"{key}"') for key in rows.starts)


def _stands_inside(text: str, key: str) -> bool:
    """Whether a key stands anywhere but behind an opening brace, with the same white space everywhere."""
    at = text.find(key)
    if at < 0:
        return False
    brace = text.rfind("{", 0, at)
    lead = text[brace : at + len(key)] if brace >= 0 and not text[brace + 1 : at].strip(_BLANKS) else ""
    return not lead or text.count(lead) != text.count(key)


def _begin_alike(text: str) -> bool:
    """Whether all objects from the first row on begin with the same key, which stands nowhere else."""
    first = _FIRST_ROW.search(text)
    if first is None:
        return True
    objects = text.count("{", first.start())
    return text.count(first[1]) == objects and not _stands_inside(text, first[1])


def _has_each_key_once(text: str) -> bool:
    """Whether the decoder finds nothing odd in a JSON text."""
    try:
        strict(text, 0)
    except (ValueError, RecursionError, OddError):
        return False
    return True


def wrapped_for(raw: str, target: Target) -> Wrapped | None:
    """The value that may be the answer, if it can be seen without a search."""
    return unwrapped(raw, target.own_keys(), lists=target.roots != ROOTS["object"])


def plain(state: ParseState) -> ParseState:
    """Decode the value, if it is JSON except raw control characters in its strings; else the state as it was."""
    target = state.target
    wrapped = None if target.is_cut_off else wrapped_for(state.raw, target)
    if wrapped is None:
        return state
    try:
        data, end, edits = decode_at(state.raw, wrapped.start, as_written=target.reads_decimals)
    except (ValueError, RecursionError):
        return state
    has_control_characters = is_damage(edits)
    if end != wrapped.end or (has_control_characters and _has_latex(state.raw, wrapped)):
        return state
    notes = wrapped.notes("control_chars" if has_control_characters else "strict")
    return changed(state, text=wrapped.without_reasoning(state.raw), data=data, edits=edits, notes=notes)


def decoded(raw: str, target: Target) -> ParseState:
    """The state with the decoded object: read the plain way if possible, otherwise by the stages.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = plain(ParseState.of(raw, target))
    if state.decoded:
        return state
    from src.shared.infrastructure.parsing.searching import search  # noqa: PLC0415 - loaded with the first text that is not plain

    return search(state)


def _has_latex(raw: str, wrapped: Wrapped) -> bool:
    """Whether the reader has to tell the commands of LaTeX from escapes."""
    from src.shared.domain.latex import ANY_COMMAND  # noqa: PLC0415 - hardly a text needs it

    return ANY_COMMAND.search(raw, wrapped.start, wrapped.end) is not None
