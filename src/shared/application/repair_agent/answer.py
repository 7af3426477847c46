"""The repair agent's answer: one strict JSON object, or nothing."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"(?P<mark>`{3,}+|~{3,}+)[\w+\-]{0,20}[ \t]*+\r?\n")


class NumberText(str):
    """A number as the answer spells it."""

    __slots__ = ()


class NotStrictJsonError(ValueError):
    """A text is not one strict JSON object; the message is the reason, in English."""


def without_fence(text: str) -> str:
    """The text without white space around it and without the one fence that encloses all of it."""
    text = text.strip()
    opening = _FENCE.match(text)
    if opening is None or not text.endswith(opening["mark"]) or len(text) < opening.end() + len(opening["mark"]):
        return text
    return text[opening.end() : -len(opening["mark"])].strip()


def strict_object(text: str) -> dict[str, Any]:
    """Decode one strict JSON object; its numbers stay as they are spelled, as `NumberText`.

    Raises:
        NotStrictJsonError: not JSON, not an object, a name twice in one object, NaN or Infinity, nested too deeply.
    """
    try:
        data = json.loads(
            text,
            object_pairs_hook=_unique_names,
            parse_constant=_no_constant,
            parse_int=NumberText,
            parse_float=NumberText,
        )
    except NotStrictJsonError:
        raise
    except json.JSONDecodeError as error:
        reason = f"{error.msg} (line {error.lineno}, column {error.colno})"
        raise NotStrictJsonError(reason) from error
    except RecursionError as error:
        reason = "nested too deeply"
        raise NotStrictJsonError(reason) from error
    if not isinstance(data, dict):
        reason = "the root is not an object"
        raise NotStrictJsonError(reason)
    return data


def _unique_names(members: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(members)
    if len(result) != len(members):
        reason = "a name stands twice in one object"
        raise NotStrictJsonError(reason)
    return result


def _no_constant(name: str) -> float:
    reason = f"{name} is not JSON"
    raise NotStrictJsonError(reason)
