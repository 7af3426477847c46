"""The calls of tools that a framework is about to make: their arguments as the data that the model meant.

A framework knows a tool by its JSON Schema, and validates the arguments itself. Here the text becomes data; what the
values have to be is for the framework to say.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import one_text
from src.shared.infrastructure.events.library_log import log_failure
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.parsing.answer import cut_off
from src.shared.infrastructure.parsing.expected import Expected
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.tool_call_forms.find_calls import find_calls
from src.shared.infrastructure.tool_call_forms.marks import plain_name
from src.shared.infrastructure.tool_call_forms.typed_calls import (
    NO_ARGUMENTS,
    ToolCall,
    Tools,
    TypedCalls,
    arguments_type,
)
from src.shared.infrastructure.tool_call_forms.words import add_tool, call_error, two_values, unknown_tool
from src.shared.infrastructure.tool_calls import contains_tool_call, read_tool_calls

_DEEPEST = 20
"""Levels of a tool's schema that are looked into."""
_MARK = expression(r"<[|\uff5c][^<>]{0,64}[|\uff5c]>|</?+(?:arg_key|arg_value|parameter)>|<parameter=")
"""A mark of a model's own notation, as it leaks into keys and names."""
_SPACE = " \t\r\n"


class BoundTools:
    """The tools that a model was told of, by the JSON Schemas of their parameters.

    With the extra `json-schema` a schema helps to read damaged arguments; without it they are read as any object.
    """

    def __init__(self, parameters: Mapping[str, Mapping[str, Any]]) -> None:
        """Take the schema of each tool's parameters, by the tool's name."""
        self._parameters = parameters

    @cached_property
    def _expected(self) -> dict[str, Expected]:
        return {name: Expected([schema], schema, {}) for name, schema in self._parameters.items()}

    @cached_property
    def _types(self) -> dict[str, Any]:
        return {name: _type_of(schema, name) for name, schema in self._parameters.items()}

    def name(self, written: str) -> str:
        """The name of the tool that a model wrote with marks, or as `functions.NAME:0`; as written if there is none."""
        if written in self._parameters:
            return written
        plain = plain_name(_MARK.split(written.strip(), maxsplit=1)[0].strip())
        return plain if plain in self._parameters else written

    def read(self, name: str, text: str, *, finished: bool | None = None) -> dict[str, Any]:
        """The data of a call's arguments, which are not clean.

        Read in this order: JSON, damaged or not, that satisfies the schema; a whole call of this tool, and keywords as
        Python writes them; JSON with the names of the schema, whose values the schema does not take.

        Args:
            name: the tool.
            text: its arguments as the model wrote them; nothing at all are those of a tool without parameters.
            finished: False: the model was cut off.

        Raises:
            LLMJsonParseError: they cannot be read without guessing, or were cut off, or there is no such tool.
        """
        try:
            return self._read(name, text, finished=finished)
        except LLMJsonParseError as error:
            log_failure(error, text, name)
            raise

    @one_text()
    def _read(self, name: str, text: str, *, finished: bool | None) -> dict[str, Any]:
        if name not in self._types:
            raise unknown_tool(name, self._types, text, 0)
        if finished is False:
            raise add_tool(cut_off(ParseState.of(text, Target())), name)
        if not text.strip() and not self._expected[name].names:
            return {}
        try:
            data = self._typed(name, text, self._types[name])
        except LLMJsonParseError as error:
            refusal = add_tool(error, name)
        else:
            return self._meant_once(name, text, data)
        if refusal.details.get("truncated"):  # nothing is taken of what may be half of something
            raise refusal
        try:
            found = self._call(name, text)
            data = self._typed(name, text, dict[str, Any]) if found is None else found
        except LLMJsonParseError:
            raise refusal from refusal.__cause__
        meant = self._meant_once(name, text, data)
        if found is None and not (_has_names(meant, self._expected[name]) and _is_json(meant)):
            raise refusal
        return meant

    def _meant_once(self, name: str, text: str, data: dict[str, Any]) -> dict[str, Any]:
        """What data mean, if no parameter is there twice, once with a mark."""
        known = self._expected[name].names
        twice = next((plain for key in data if (plain := _plain_key(key, known)) != key and plain in data), None)
        if twice is not None:
            raise call_error(two_values(twice, name), text, 0)
        return self.meant(name, data)

    def _typed(self, name: str, text: str, dto_type: Any) -> dict[str, Any]:  # noqa: ANN401 - a type
        tools = Tools({name: dto_type}, context_label=name)
        if NO_ARGUMENTS.match(text) and text.strip():
            text = "{}"
        data: dict[str, Any] = TypedCalls(text, tools).read(text, tools.target(name)).result
        return data

    def _call(self, name: str, text: str) -> dict[str, Any] | None:
        """The arguments of the one call in the text, which may be keywords alone; None if there is no call in it."""
        tools = Tools({name: self._types[name]}, context_label=name)
        inner = text.strip(_SPACE)
        keywords = f"[{name}{inner}]" if inner.startswith("(") else f"[{name}({inner})]"
        for one in (text,) if inner.startswith(("{", "[", '"', "<")) else (text, keywords):
            typed_calls = TypedCalls(one, tools)
            calls = [typed_calls.call(call) for call in find_calls(one, typed_calls, finished=None)]
            if len(calls) == 1:
                data: dict[str, Any] = calls[0].arguments
                return data
        return None

    def meant(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """Data without marks in its keys, and without JSON in a string where the schema takes no string; else the same.

        A mark is taken off a key only if the schema knows the name without it, and the name is not there already. Where
        the data is the whole call, with the tool's name, its arguments are meant.
        """
        expected = self._expected.get(name)
        if expected is None:  # there is no such tool, which the framework says
            return data
        if name in data.values() and not _has_names(data, expected):
            with suppress(LLMJsonParseError):
                data = self._call(name, json.dumps(data)) or data
        meant: dict[str, Any] = _meant(data, expected, _DEEPEST)
        return meant

    def written(self, text: str, *, finished: bool | None = None) -> tuple[ToolCall, ...]:
        """The calls that a model wrote into its text, of these tools; their arguments are data.

        Raises:
            LLMJsonParseError: as for `read_tool_calls`.
        """
        if not contains_tool_call(text, frozenset(self._parameters)):
            return ()
        return read_tool_calls(text, self._types, finished=finished)


def is_clean(text: str) -> bool:
    """Whether a text is one JSON object and nothing else."""
    start = len(text) - len(text.lstrip(_SPACE))
    try:
        decoded = decode_at(text, start)
    except (ValueError, RecursionError):
        return False
    return isinstance(decoded.data, dict) and not decoded.edits and not text[decoded.end :].strip(_SPACE)


def _type_of(schema: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - a type
    try:
        dto_type = JsonSchema(schema, name=name)
        arguments_type(dto_type, coerce=False)
    except (ModuleNotFoundError, JsonSchemaError, TypeError):  # the framework has it that way
        return dict[str, Any]
    return dto_type


def _has_names(data: dict[str, Any], expected: Expected) -> bool:
    """Whether an object has the keys that a schema requires, and none that it does not know."""
    return expected.required <= data.keys() <= expected.names


def _is_json(data: dict[str, Any]) -> bool:
    """Whether all numbers are numbers of JSON."""
    try:
        json.dumps(data, allow_nan=False)
    except ValueError:
        return False
    return True


def _meant(value: Any, expected: Expected, deepest: int) -> Any:  # noqa: ANN401 - decoded JSON
    if deepest == 0:
        return value
    if isinstance(value, str):
        decoded = _decoded(value, expected)
        return value if decoded is None else _meant(decoded, expected, deepest - 1)
    if isinstance(value, list):
        changed = [_meant(one, expected.element(at), deepest - 1) for at, one in enumerate(value)]
        return value if all(one is other for one, other in zip(value, changed, strict=True)) else changed
    if not isinstance(value, dict):
        return value
    keys = {key: _plain_key(key, expected.names) for key in value}
    if len({*keys.values()}) < len(keys):  # two would become one
        keys = dict(zip(value, value, strict=True))
    members = {keys[key]: _meant(one, expected.member(keys[key]), deepest - 1) for key, one in value.items()}
    is_same = all(keys[key] == key and members[key] is one for key, one in value.items())
    return value if is_same else members


def _plain_key(key: str, known: Collection[str]) -> str:
    """A key without the marks around a name that the schema knows."""
    plain = key if key in known else _MARK.sub("", key).strip(_SPACE)
    return plain if plain in known else key


def _decoded(text: str, expected: Expected) -> Any:  # noqa: ANN401 - decoded JSON
    """The JSON in a string, if nothing but that is wanted; None where a string is, or it holds something else."""
    stripped = text.strip(_SPACE)
    if "string" in expected.types or not stripped.startswith(("{", "[")):
        return None
    try:
        decoded = decode_at(stripped, 0)
    except (ValueError, RecursionError):
        return None
    is_wanted = expected.objects if isinstance(decoded.data, dict) else expected.arrays
    return decoded.data if decoded.end == len(stripped) and is_wanted and not decoded.edits else None
