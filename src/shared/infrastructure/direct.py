"""The short way for clean text and for regular damage: Pydantic reads the JSON itself.

It validates as the long way does, which writes what it decoded as JSON again (`as_json.py`). A text that this way
refuses goes the long way, which knows what to say about it. A text that is not JSON is mended where its damage is
regular (`regular/`), and Pydantic's decoder proves it.

What this way does not see is a key that stands twice, and NaN: the value is the same as the long way's (the last key
wins), but only the long way (`parse_llm_json_output_with_trace`, `decode_llm_json`) names them.
"""

from __future__ import annotations

import re
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from src.shared.domain.type_shapes import ROOTS
from src.shared.infrastructure.regular.mend import Mended, has_latex, mended
from src.shared.infrastructure.target_type import TargetType
from src.shared.infrastructure.wrapping import unwrapped
from src.shared.infrastructure.written_numbers import says_more_than_floats

T = TypeVar("T")

_EMPTY = re.compile(r"\s*+[{\[]\s*+[}\]]")
"""What was nothing but damage is no answer."""


class Direct(NamedTuple, Generic[T]):
    """A validated object, and how its text was mended; None for one that was JSON."""

    value: T
    mended: Mended | None = None


def validate_directly(raw: str, target: TargetType[T]) -> Direct[T] | None:
    """The validated object if the text is clean JSON for it or can be mended; None if the long way must decide."""
    text = _text(raw, target)
    if text is None:
        return None
    try:
        direct, text = _validated(text, target.adapter)
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return None
    return None if _wants_the_long_way(text, direct.value, target) else direct


def _validated(text: str, adapter: TypeAdapter[T]) -> tuple[Direct[T], str]:
    """The object, and the JSON it was read from.

    Raises:
        ValidationError: it does not satisfy the type, or some of its damage is not regular.
    """
    try:
        return Direct(adapter.validate_json(text)), text
    except ValidationError as error:
        fixed = mended(text) if _is_no_json(error) and not has_latex(text) else None
        if fixed is None or _EMPTY.match(fixed.text):
            raise
    return Direct(adapter.validate_json(fixed.text), fixed), fixed.text


def _text(raw: str, target: TargetType[Any]) -> str | None:
    ends = raw[:1] + raw[-1:]
    if (ends == "{}" and "object" in target.roots) or (ends == "[]" and "array" in target.roots):
        return raw
    return unwrapped(raw, target.own_keys) if target.roots == ROOTS["object"] else None


def _wants_the_long_way(text: str, value: object, target: TargetType[Any]) -> bool:
    """Whether a valid text may still be refused, or lose the digits of a `Decimal` to a float."""
    if target.reads_decimals and says_more_than_floats(text):
        return True
    return target.may_lack_fields and bool(target.foreign_objects(from_json(text), value))


def _is_no_json(error: ValidationError) -> bool:
    """Whether the text is not JSON, as opposed to JSON that the type refuses."""
    if error.error_count() > 1:
        return False  # what is not JSON is one error
    return error.errors(include_url=False, include_input=False, include_context=False)[0]["type"] == "json_invalid"
