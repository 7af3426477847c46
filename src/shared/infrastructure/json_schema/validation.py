"""Validates decoded data with a schema, as a validator of Pydantic's."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticSerializationError, to_json

from src.shared.domain.language import Language, Message
from src.shared.infrastructure.json_schema.engine import Engine
from src.shared.infrastructure.json_schema.problems import Explainer, Problem
from src.shared.infrastructure.parsing.parse_errors import MESSAGE

_NOT_JSON = Message(
    "嵌套过深，或含有 JSON 无法表示的内容", "nested too deeply, or with something that JSON cannot express"
)
_NOT_FINITE = Message("NaN 和 Infinity 不是 JSON 数字", "NaN and Infinity are no JSON numbers")
_UNEXPLAINED = Problem((), "schema_refused", Message("不符合 JSON Schema", "it does not satisfy the JSON Schema"))


class Validation:
    """Gives the data back that satisfies a schema.

    Args:
        name: the type's name.
        engine: the schema's validator.
        explainer: says what is wrong with what it refuses; None if nobody asks.
    """

    def __init__(self, name: str, engine: Engine, explainer: Explainer | None) -> None:
        self._name = name
        self._engine = engine
        self._explainer = explainer

    def __call__(self, data: Any) -> Any:  # noqa: ANN401 - decoded JSON
        """The data itself.

        Raises:
            ValidationError: it does not satisfy the schema.
        """
        problems = [*_not_json(data)]
        if not problems and not self._engine.accepts(data):
            problems = self._explainer.problems(data) if self._explainer else [_UNEXPLAINED]
        if problems:
            raise ValidationError.from_exception_data(self._name, [_line(one, data) for one in problems])
        return data


def _not_json(data: object) -> Iterable[Problem]:
    """What keeps data from being JSON: the validator would not see it where its schema says nothing, or crash at it."""
    try:
        text = to_json(data, inf_nan_mode="constants")
    except (PydanticSerializationError, ValueError, RecursionError):
        return [Problem((), "json_type", _NOT_JSON)]
    if b"NaN" in text or b"Infinity" in text:
        return [Problem(loc, "finite_number", _NOT_FINITE) for loc in _not_finite(data)]
    return ()


def _not_finite(data: object) -> Iterable[tuple[str | int, ...]]:
    """The first number without an end, if there is one."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while waiting:
        loc, value = waiting.pop()
        if isinstance(value, float) and not isfinite(value):
            return [loc]
        if isinstance(value, dict):
            waiting.extend(((*loc, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            waiting.extend(((*loc, at), inner) for at, inner in enumerate(value))
    return ()


def _line(problem: Problem, data: object) -> InitErrorDetails:
    said = {"said": problem.message.text(Language.BOTH), MESSAGE: problem.message}
    return InitErrorDetails(type=PydanticCustomError(problem.kind, "{said}", said), loc=problem.loc, input=data)
