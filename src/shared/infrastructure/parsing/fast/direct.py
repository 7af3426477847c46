"""The short way for clean text and for regular damage: Pydantic reads the JSON itself.

The validation is the same as in the long way, which writes the decoded data as JSON again (`as_json.py`). A text that
is refused here takes the long way, which makes the error. Regular damage is mended first (`regular/`), and Pydantic's
decoder proves that the result is JSON.

This way does not notice duplicate keys and NaN. The value is the same as in the long way (the last key wins), and the
trace, which is computed when it is accessed, reports them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from src.shared.domain.type_shapes import ROOTS, Root
from src.shared.infrastructure.parsing.candidates.wrapping import unwrapped
from src.shared.infrastructure.parsing.target_type import TargetType
from src.shared.infrastructure.parsing.written_numbers import says_more_than_floats

if TYPE_CHECKING:
    from src.shared.infrastructure.parsing.regular.mend import Mended

T = TypeVar("T")

_EMPTY = re.compile(r"\s*+[{\[]\s*+[}\]]")
"""What was nothing but damage is no answer."""
_FENCES = ("```", "~~~")
_ROOT_OF: dict[str, Root] = {"{": "object", "｛": "object", "[": "array"}


class Direct(NamedTuple, Generic[T]):
    """A validated object, and how its text was mended; None for one that was JSON."""

    value: T
    mended: Mended | None = None


def validate_directly(raw: str, target: TargetType[T]) -> Direct[T] | None:
    """The validated object if the text is clean JSON for it or can be mended; None if the long way must decide."""
    wrapped = unwrapped(raw, target.own_keys, lists=target.roots != ROOTS["object"])
    if wrapped is None or _ROOT_OF[raw[wrapped.start]] not in target.roots:
        return None
    text = raw[wrapped.start : wrapped.end]
    whole = wrapped.stands_alone or not (wrapped.is_in_tags(raw) or any(mark in text for mark in _FENCES))
    try:
        direct, text = _validated(text, target.adapter, damaged=whole)
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return None
    return None if _wants_the_long_way(text, direct.value, target) else direct


def _validated(text: str, adapter: TypeAdapter[T], *, damaged: bool) -> tuple[Direct[T], str]:
    """The object, and the JSON it was read from.

    Raises:
        ValidationError: it does not satisfy the type, or some of its damage is not regular.
    """
    try:
        return Direct(adapter.validate_json(text)), text
    except ValidationError as error:
        fixed = _mended(text) if damaged and _is_no_json(error) else None
        if fixed is None or _EMPTY.match(fixed.text):
            raise
    return Direct(adapter.validate_json(fixed.text), fixed), fixed.text


def _mended(text: str) -> Mended | None:
    from src.shared.infrastructure.parsing.regular.mend import has_latex, mended  # noqa: PLC0415 - for the first damaged text

    return None if has_latex(text) else mended(text)


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
