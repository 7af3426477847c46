"""The short way for clean text and for regular damage: Pydantic reads the JSON itself.

It validates as the long way does, which writes what it decoded as JSON again (`as_json.py`). A text that this way
refuses goes the long way, which knows what to say about it. A text that is not JSON is patched where the patches prove
themselves (`patches.py`).

What this way does not see is a key that stands twice, and NaN: the value is the same as the long way's (the last key
wins). They are in the trace of a clean text, which is worked out when somebody looks at it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import ROOTS, Root
from src.shared.infrastructure.target_type import TargetType
from src.shared.infrastructure.wrapping import unwrapped
from src.shared.infrastructure.written_numbers import says_more_than_floats

T = TypeVar("T")


class Direct(NamedTuple, Generic[T]):
    """A validated object, and how often which repair was made on the way to it."""

    value: T
    kinds: Counter[RepairKind]


_UNREPAIRED: Counter[RepairKind] = Counter()
_FENCES = ("```", "~~~")
_ROOT_OF: dict[str, Root] = {"{": "object", "｛": "object", "[": "array"}


def validate_directly(raw: str, target: TargetType[T], *, damaged: bool = True) -> Direct[T] | None:
    """The validated object if the text is clean JSON for it, or can be patched; None if the long way must decide.

    Args:
        raw: the text.
        target: the type.
        damaged: whether to patch damaged text, whose trace then is not known.
    """
    wrapped = unwrapped(raw, target.own_keys, lists=target.roots != ROOTS["object"])
    if wrapped is None or _ROOT_OF[raw[wrapped.start]] not in target.roots:
        return None
    text = raw[wrapped.start : wrapped.end]
    validate = target.adapter.validate_json
    try:
        try:
            value, kinds = validate(text), _UNREPAIRED
        except ValidationError as error:
            whole = wrapped.stands_alone or not (wrapped.is_in_tags(raw) or any(mark in text for mark in _FENCES))
            patched = _validate_patched(validate, text, _refusal(error)) if damaged and whole else None
            if patched is None:
                return None
            value, kinds, text = patched
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return None
    return None if _wants_the_long_way(text, value, target) else Direct(value, kinds)


def _wants_the_long_way(text: str, value: object, target: TargetType[Any]) -> bool:
    """Whether a valid text may still be refused, or lose the digits of a `Decimal` to a float."""
    if target.reads_decimals and says_more_than_floats(text):
        return True
    return target.may_lack_fields and bool(target.foreign_objects(from_json(text), value))


def _validate_patched(
    validate: Callable[[str], T], text: str, refusal: str
) -> tuple[T, Counter[RepairKind], str] | None:
    from src.shared.infrastructure.patches import Patching  # noqa: PLC0415 - for the first damaged text

    patching = Patching(text)
    while patching.undo(refusal):
        try:
            return validate(patching.text), patching.kinds, patching.text
        except ValidationError as error:
            refusal = _refusal(error)
    return None


def _refusal(error: ValidationError) -> str:
    """What the decoder met that is not JSON; nothing where the text is JSON and the DTO refused the value."""
    if error.error_count() > 1:
        return ""  # what is not JSON is one error
    first = error.errors(include_url=False, include_input=False)[0]
    return str(first["ctx"]["error"]) if first["type"] == "json_invalid" else ""
