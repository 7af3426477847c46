"""The repair agent's answer: one strict JSON object as steps in their order, and where two values differ first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.exceptions import Place, json_path, steps_to
from src.shared.domain.repair_errors import DifferenceKind
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys

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


def _no_constant(name: str) -> float:
    reason = f"{name} is not JSON"
    raise NotStrictJsonError(reason)


_decode = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_constant=_no_constant, parse_int=NumberText, parse_float=NumberText
).decode


def strict_object(text: str) -> dict[str, Any]:
    """Decode one strict JSON object; its numbers stay as they are spelled, as `NumberText`.

    Raises:
        NotStrictJsonError: not JSON, not an object, a name twice in one object, NaN or Infinity, nested too deeply.
    """
    reason = "the root is not an object"
    try:
        data = _decode(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} (line {error.lineno}, column {error.colno})"
        raise NotStrictJsonError(reason) from error
    except RepeatedKeyError as error:
        reason = "a name stands twice in one object"
        raise NotStrictJsonError(reason) from error
    except RecursionError as error:
        reason = "nested too deeply"
        raise NotStrictJsonError(reason) from error
    if isinstance(data, dict):
        return data
    raise NotStrictJsonError(reason)


StepKind = Enum("StepKind", ["OPEN", "CLOSE", "NAME", "STRING", "NUMBER", "LITERAL"])
"""What a step is."""
Container: TypeAlias = "dict[str, Any] | list[Any]"
"""A place in a value: the path of what holds it, and its name or number there."""
_LITERALS = {True: "true", False: "false", None: "null"}


class Step(NamedTuple):
    """One step through a value.

    Attributes:
        kind: what it is.
        text: the bracket (of a closing one, the opening one), the decoded string, the number or the literal.
        within: the object or list it belongs to.
        path: its place.
    """

    kind: StepKind
    text: str
    within: Container
    path: Place = None

    @property
    def json_path(self) -> str:
        """Its place as a JSON path."""
        return json_path(steps_to(self.path))


def steps(root: dict[str, Any]) -> Iterator[Step]:
    """Go through a value, however deep it is; its numbers may be decoded or as they are spelled."""
    yield Step(StepKind.OPEN, "{", root)
    levels: list[tuple[Container, Place, Iterator[Any]]] = [(root, None, iter(root.items()))]
    while levels:
        container, path, members = levels[-1]
        for place, value in members:
            here = path, place
            if isinstance(container, dict):
                yield Step(StepKind.NAME, place, container, here)
            yield Step(*_kind_and_text(value), container, here)
            if isinstance(value, dict | list):
                levels.append((value, here, iter(value.items() if isinstance(value, dict) else enumerate(value))))
                break
        else:
            levels.pop()
            yield Step(StepKind.CLOSE, _bracket(container), container, path)


def _bracket(container: object) -> str:
    return "{" if isinstance(container, dict) else "["


def _kind_and_text(value: object) -> tuple[StepKind, str]:
    if isinstance(value, dict | list):
        return StepKind.OPEN, _bracket(value)
    if isinstance(value, str):
        return StepKind.NUMBER if isinstance(value, NumberText) else StepKind.STRING, value
    if value is None or isinstance(value, bool):
        return StepKind.LITERAL, _LITERALS[value]
    return StepKind.NUMBER, repr(value)


def first_difference(read: dict[str, Any], answered: dict[str, Any]) -> tuple[DifferenceKind, Step, int] | None:
    """What is different first, the answer's step there, and its number; None if nothing is.

    Types count, and so does the order of names.
    """
    pairs = zip(steps(read), steps(answered), strict=False)  # of two different values one may have fewer steps
    for number, (there, step) in enumerate(pairs):
        if there[:2] != step[:2]:
            return kind_of_difference(there, step), step, number
    return None


def kind_of_difference(there: Step, step: Step) -> DifferenceKind:
    """What is different where an answer has `step`, and the text has another one there."""
    kinds = {there.kind, step.kind}
    if kinds == {StepKind.NAME}:
        if there.text in step.within:
            return DifferenceKind.ADDED
        return DifferenceKind.LOST if step.text in there.within else DifferenceKind.NAME_CHANGED
    if StepKind.CLOSE in kinds:
        return DifferenceKind.LOST if step.kind is StepKind.CLOSE else DifferenceKind.ADDED
    if StepKind.OPEN in kinds:
        return DifferenceKind.STRUCTURE_CHANGED
    if len(kinds) > 1 or "null" in {there.text, step.text}:
        return DifferenceKind.TYPE_CHANGED
    is_bound = step.kind is StepKind.STRING and (step.text.startswith(there.text) or there.text.startswith(step.text))
    return DifferenceKind.STRUCTURE_CHANGED if is_bound else DifferenceKind.VALUE_CHANGED
