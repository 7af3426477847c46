"""`JsonSchema`: a JSON Schema as a type that the parser takes everywhere it takes a Pydantic type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, partial
from math import isfinite
from typing import Any

from pydantic import GetCoreSchemaHandler, ValidationError
from pydantic_core import (
    CoreSchema,
    PydanticSerializationError,
    core_schema,
    to_json,
)

from src.shared.domain.answer_type import SchemaType
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.options import takes
from src.shared.domain.schema_walk import ROOT
from src.shared.domain.type_shapes import COERCIBLE, SHAPES
from src.shared.domain.work import spend_applied
from src.shared.infrastructure.json_schema.applied import Applications
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError, check_limits, dialect_of
from src.shared.infrastructure.json_schema.engine import Engine, check_is_schema
from src.shared.infrastructure.json_schema.problems import Comparison, Loc, Problem
from src.shared.infrastructure.json_schema.references import References, with_definitions
from src.shared.infrastructure.json_schema.shapes import shapes_of_schema
from src.shared.infrastructure.parsing.parse_errors import problem_of

_NOT_JSON = Phrase("nested too deeply, or with something that JSON cannot express")
_NOT_FINITE = Phrase("NaN and Infinity are no JSON numbers")
_TOO_OFTEN = Problem(
    (),
    "schema_applied_too_often",
    Phrase(
        "alternatives inside alternatives: the JSON Schema would have to be applied to it more often than is allowed"
    ),
)
_OF_PAIR = 20
"""Applications by the engine that one takes which is not by it."""
_UNEXPLAINED = Problem((), "schema_refused", Phrase("it does not satisfy the JSON Schema"))


def _not_json(data: object) -> list[Problem]:
    """What keeps data from being JSON: the validator would not see it where its schema says nothing, or crash at it."""
    try:
        text = to_json(data, inf_nan_mode="constants")
    except (PydanticSerializationError, ValueError, RecursionError):
        return [Problem((), "json_type", _NOT_JSON)]
    waiting: list[tuple[Loc, Any]] = [((), data)] if b"NaN" in text or b"Infinity" in text else []
    while waiting:
        loc, value = waiting.pop()
        if isinstance(value, float) and not isfinite(value):
            return [Problem(loc, "finite_number", _NOT_FINITE)]
        if isinstance(value, (dict, list)):
            members = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += (((*loc, key), inner) for key, inner in members)
    return []


NAME_LIMIT = 64
"""Characters of a name that is taken from a schema's `title`."""
_NAMELESS = "JsonSchema"


class JsonSchema(SchemaType[Any]):
    """A JSON Schema as the type of an answer, which is then a plain dict or list.

    It helps to read a text as a Pydantic type does: by the root it asks for, its keys, and what satisfies it. It is
    compiled once, when it is made; make it once, and use it for every text. It can be pickled, compared and hashed.

    Args:
        schema: draft 2020-12, or 2019-09, 07 or 06 where `$schema` says so; within the limits of
            `docs/reference/bounds.md`. Every `$ref` leads to a place in the schema itself. `format` is not asserted.
        name: for messages, logs and requests; by default the schema's `title`.
        explains: whether a refusal says what is wrong; looking for that may take much longer than to refuse.

    Raises:
        JsonSchemaError: it is no schema, or none that can be taken; the error names the place and the reason.
        ModuleNotFoundError: the extra `json-schema` is not installed.

    .. versionadded:: 0.1.0
    """

    @takes()
    def __init__(self, schema: Mapping[str, Any], *, name: str | None = None, explains: bool = True) -> None:
        given: object = schema
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise JsonSchemaError(ROOT, Phrase("a schema has to be an object, not {kind}", kind=kind))
        own = dict(given)
        check_limits(own)
        self._text = json.dumps(own, ensure_ascii=False)
        self._schema: dict[str, Any] = json.loads(self._text)
        dialect = dialect_of(self._schema)
        check_is_schema(self._schema, dialect)
        self._references = References(self._schema, dialect)
        self._applications = Applications(self._references)
        self._shapes = shapes_of_schema(self._schema, self._references)
        if not self._shapes:
            raise JsonSchemaError(ROOT, Phrase("what it describes is neither an object nor an array"))
        self._engine = Engine(self._schema, dialect, len(self._references.places))
        self.name = name or one_line(str(self._schema.get("title", "")), NAME_LIMIT) or _NAMELESS
        self._explains = explains

    def json_schema(self) -> dict[str, Any]:
        """The schema, a copy of its own; one whose references name something else than `$defs` is rewritten so."""
        copy: dict[str, Any] = json.loads(self._named_text)
        return copy

    @property
    def most_applied(self) -> int:
        """Schemas in it that are applied to one value, at most; more than `MAX_APPLIED` if that depends on the text."""
        return self._applications.most

    @property
    def _facts(self) -> tuple[str, str, bool]:
        return self._text, self.name, self._explains

    @cached_property
    def _named_text(self) -> str:
        return json.dumps(with_definitions(self._schema, self._references), ensure_ascii=False)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How Pydantic validates it: any JSON, which the schema then accepts or not."""
        del source, handler
        metadata = {SHAPES: self._shapes, COERCIBLE: self._coercible}
        return core_schema.no_info_after_validator_function(
            self._validated, core_schema.any_schema(), metadata=metadata
        )

    def _coercible(self) -> dict[str, Any]:
        from src.shared.infrastructure.json_schema.coercible import coercible_part  # noqa: PLC0415 - for who asks for it

        return coercible_part(self._schema, self._references)

    def _validated(self, data: object) -> object:
        """Decoded data itself, which satisfies the schema, or else a ValidationError."""
        problems = _not_json(data) or self._problems(data)
        if problems:
            lines = [problem_of(one.kind, one.message, one.loc, data) for one in problems]
            raise ValidationError.from_exception_data(self.name, lines)
        return data

    def _problems(self, data: object) -> list[Problem]:
        places = None
        if self._applications.are_too_many(data):
            places = self._applications.places(data) if Comparison.knows(self._references) else None
            if places is None or not spend_applied(_OF_PAIR * len(places)):
                return [_TOO_OFTEN]
        elif self._engine.accepts(data):
            return []
        comparison = Comparison(self._references, self._engine, places)
        if places is not None and comparison.accepts(ROOT, data):
            return []
        return comparison.problems(data) if self._explains else [_UNEXPLAINED]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its schema and name, and compiled again where it is loaded."""
        return partial(JsonSchema, name=self.name, explains=self._explains), (json.loads(self._text),)

    def __repr__(self) -> str:
        """Its name; the schema may be long."""
        return f"JsonSchema({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """Whether the schema is the same, its keys in the same order, and the name."""
        return isinstance(other, JsonSchema) and self._facts == other._facts

    def __hash__(self) -> int:
        """Of the schema and the name."""
        return hash(self._facts)
