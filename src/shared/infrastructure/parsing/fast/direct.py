"""The short way for clean text: Pydantic reads the JSON itself, or without a type the standard decoder.

The validation is the same as in the long way, which writes the decoded data as JSON again (`as_json.py`). A text that
is refused here takes the long way, which makes the error.

This way does not notice duplicate keys and NaN. The value is the same as in the long way (the last key wins), and the
trace, which is computed when it is accessed, reports them.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from pydantic_core import from_json

from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.reading.strict_json import OddError, strict
from src.shared.domain.type_shapes import ROOTS, Root
from src.shared.infrastructure.parsing.candidates.wrapping import unwrapped
from src.shared.infrastructure.parsing.target_type import TargetType
from src.shared.infrastructure.parsing.written_numbers import says_more_than_floats

T = TypeVar("T")

_NO_FIELDS: frozenset[str] = frozenset()
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
    return target.may_lack_fields and bool(target.foreign_objects(from_json(text), value))
