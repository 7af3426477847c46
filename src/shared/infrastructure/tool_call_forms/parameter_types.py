"""What a text between tags may say, as the type of its parameter has it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from src.shared.domain.answer_type import AnswerType, json_schema_of, per_type
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated
from src.shared.domain.reading.lexicon import CLOSERS, FOREIGN_LITERALS, OPENERS
from src.shared.infrastructure.tool_call_forms.envelopes import Json
from src.shared.infrastructure.tool_call_forms.raw_call import Parameter

Types: TypeAlias = frozenset[str]

_ALL: Types = frozenset({"string", "number", "boolean", "null", "object", "array"})
_STRING: Types = frozenset({"string"})
_NAMES = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "array",
}
_BRACKETS = frozenset(OPENERS) | frozenset(CLOSERS)
_BEFORE, _AFTER = (repeated(rf"(?P<{name}>\r?\n)", "?") for name in ("before", "after"))
_PADDED = expression(_BEFORE + "(?P<text>" + repeated(r"(?!\r?\n\Z).") + ")" + _AFTER + r"\Z", re.DOTALL)
MAY_BE_JSON = expression(r"[-+.\d\[{\"]|(?i:true|false|null|none)\s*+\Z")


class ParameterTypes:
    """The JSON types of the parameters of one type.

    Attributes:
        keys: their names.
        has_none: whether it is an object without any fields.
    """

    def __init__(self, dto_type: AnswerType[Any]) -> None:
        """Look at the type's JSON Schema."""
        self._schema = json_schema_of(dto_type)
        self._known: dict[tuple[int, int], Types] = {}
        resolved = self._resolved(self._schema)
        self._fields: Mapping[str, Any] = resolved.get("properties", {})
        self._others = resolved.get("additionalProperties", False)
        self.keys = frozenset(self._fields)
        self.has_none = resolved.get("properties") == {} and not self._others

    def of(self, key: str) -> Types:
        """The JSON types that a parameter may have; those of text for one that is not known, and is not read."""
        if key in self._fields:
            return self._types(self._fields[key], 0)
        return self._types(self._others, 0) if self._others else _STRING

    def _resolved(self, schema: Any) -> Any:  # noqa: ANN401 - a JSON Schema
        if isinstance(schema, dict) and "$ref" in schema:
            return self._schema.get("$defs", _NOTHING).get(schema["$ref"].rpartition("/")[2], _NOTHING)
        return schema

    def _types(self, schema: Any, level: int) -> Types:  # noqa: ANN401 - a JSON Schema
        schema = self._resolved(schema)
        if not isinstance(schema, dict) or level > _LEVELS:
            return _ALL
        known = (id(schema), level)  # two ways a level would be a million at the twentieth
        if known not in self._known:
            self._known[known] = self._read(schema, level)
        return self._known[known]

    def _read(self, schema: Mapping[str, Any], level: int) -> Types:
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if values is not None:
            return frozenset(_NAMES[type(value)] for value in values)
        named = schema.get("type")
        if named is not None:
            return frozenset(
                {"number" if name == "integer" else name for name in ([named] if isinstance(named, str) else named)}
            )
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return frozenset[str]().union(*(self._types(choice, level + 1) for choice in choices))
        return frozenset.intersection(_ALL, *(self._types(part, level + 1) for part in schema.get("allOf", ())))


_NOTHING: Mapping[str, Any] = {}
_LEVELS = 20
"""Most choices inside each other that are looked at."""

parameter_types = per_type(ParameterTypes)


def readings(parameter: Parameter, types: Types, json_: Json) -> list[Any]:
    """What the text of a parameter may say; several values where nothing but the type can tell.

    A text stands there as it is, without the line breaks that the template puts around it. Anything else is JSON.

    Raises:
        LLMJsonParseError: it has to be JSON and is none.
    """
    if parameter.is_text is not None:
        types = _STRING if parameter.is_text else types - _STRING
    if parameter.is_json_first:
        return [_json_first(parameter.text, types, json_)]
    found: list[Any] = [*_texts(parameter)] if "string" in types else []
    written = parameter.text.strip()
    if parameter.is_text is False and written[:1] in OPENERS:
        return [json_.decoded(written, finished=None)]
    if types != _STRING and "string" not in types:
        return [_json(written, json_)]
    is_quoted = written[:1] == '"' == written[-1:]
    if MAY_BE_JSON.match(written) and (is_quoted or not types <= _STRING) and parameter.is_text is None:
        try:
            value = _json(written, json_)
        except LLMJsonParseError:
            return found
        if value != written and _NAMES.get(type(value), "number") in types:
            found.append(value)
    return found


def _json_first(text: str, types: Types, json_: Json) -> Any:  # noqa: ANN401 - decoded JSON
    """The JSON value of a text, where there is one that its type may have; else the text."""
    written = text.strip()
    if MAY_BE_JSON.match(written):
        value = _string(written) if written.startswith('"') else _json(written, json_)
        if _NAMES.get(type(value), "number") in types:
            return value
    return text


def _string(written: str) -> object:
    try:
        return json.loads(written)
    except ValueError:
        return None


def _texts(parameter: Parameter) -> Iterator[str]:
    """The text without what the template put around it; both, if there is only one of the two line breaks."""
    text = parameter.text
    padded = _PADDED.match(text) if parameter.is_padded else None
    if padded is None:
        yield text
        return
    if not (padded["before"] and padded["after"]):
        yield text
    yield padded["text"]


def _json(written: str, json_: Json) -> Any:  # noqa: ANN401 - decoded JSON
    """The JSON value that a text is; a text that is none, for the type to refuse, unless it begins with a bracket.

    Raises:
        LLMJsonParseError: it is an object or an array that cannot be read.
    """
    if written[:1] in OPENERS:
        return json_.decoded(written, finished=None) if written[-1:] in CLOSERS else written
    if not _BRACKETS.isdisjoint(written):
        return written
    try:
        values = json_.decoded(f"[{FOREIGN_LITERALS.get(written, written)}]", finished=None, roots="array")
    except LLMJsonParseError:
        return written
    return values[0] if len(values) == 1 else written
