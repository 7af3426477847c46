"""The calls of tools that a framework is about to make: their arguments as the data that the model meant.

A framework knows a tool by its JSON Schema, and validates the arguments itself. Here the text becomes data; what the
values have to be is for the framework to say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import one_text
from src.shared.infrastructure.events.library_log import log_failure
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.parsing.answer import cut_off
from src.shared.infrastructure.parsing.expected import Expected
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.tool_call_forms.marks import REST, plain_name
from src.shared.infrastructure.tool_call_forms.typed_calls import NO_ARGUMENTS, Tools, TypedCalls, arguments_type
from src.shared.infrastructure.tool_call_forms.words import add_tool, unknown_tool
from src.shared.infrastructure.tool_calls import only_call

Part = TypeVar("Part")
_SPACE = " \t\r\n"


class RepairedCall(NamedTuple):
    """A call as its tool is to be called: the tool's name, the arguments as data, and whether either was repaired."""

    name: str
    arguments: dict[str, Any]
    is_changed: bool


class BoundTools:
    """The tools that a model was told of, by the JSON Schemas of their parameters.

    With the extra `json-schema` a schema helps to read damaged arguments; without it they are read as any object.
    """

    def __init__(
        self,
        parameters: Mapping[str, Mapping[str, Any]],
        exception: Callable[[LLMJsonParseError, str], Exception] = lambda error, _: error,
    ) -> None:
        """Take the schema of each tool's parameters, by its name, and the framework's exception for a refusal."""
        self._parameters = parameters
        self._exception = exception

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
        plain = plain_name(REST.split(written.strip(), maxsplit=1)[0].strip())
        return plain if plain in self._parameters else written

    @one_text()
    def repaired(
        self, name: str, arguments: str | dict[str, Any] | None, *, finished: bool | None = None
    ) -> RepairedCall:
        """The call that a model meant.

        A text that is no JSON object is read in this order: JSON, damaged or not, that satisfies the schema; a whole
        call of this tool, and keywords as Python writes them; JSON with the names of the schema, whose values the
        schema does not take.

        Args:
            name: the tool as the model wrote it.
            arguments: as it wrote them, or as data; nothing at all are none, unless the model was cut off.
            finished: False: it was cut off.

        Raises:
            Exception: the framework's: they cannot be read without guessing, or were cut off, or there is no such tool.
        """
        known, text = self.name(name), arguments if isinstance(arguments, str) else ""
        given = _object_of(text) if text.strip() else arguments if isinstance(arguments, dict) else {}
        try:
            if finished is False and (given is None or not arguments):  # no arguments would be the defaults
                raise add_tool(cut_off(ParseState.of(text, Target())), known)
            data = self._meant(known, self._read(known, text) if given is None else given)
        except LLMJsonParseError as error:
            log_failure(error, text, known)
            refusal = self._exception(error, text)
            raise refusal from error.__cause__ if refusal is error else error
        return RepairedCall(known, data, known != name or data is not given)

    def _read(self, name: str, text: str) -> dict[str, Any]:
        if name not in self._types:
            raise unknown_tool(name, self._types, text, 0)
        try:
            return self._typed(name, text, self._types[name])
        except LLMJsonParseError as error:
            refusal = add_tool(error, name)
        if not refusal.details.get("truncated"):  # nothing is taken of what may be half of something
            with suppress(LLMJsonParseError, ValueError):
                if (called := self._call(name, text)) is not None:
                    return called
                data = self._meant(name, self._typed(name, text, dict[str, Any]))
                if _has_names(data, self._expected[name]) and json.dumps(data, allow_nan=False):
                    return data
        raise refusal from refusal.__cause__

    def _typed(self, name: str, text: str, dto_type: Any) -> dict[str, Any]:  # noqa: ANN401 - a type
        tools = Tools({name: dto_type}, context_label=name)
        text = "{}" if NO_ARGUMENTS.match(text) else text
        data: dict[str, Any] = TypedCalls(text, tools).read(text, tools.target(name), in_call=False).result
        return data

    def _call(self, name: str, text: str) -> dict[str, Any] | None:
        """The arguments of the one call in the text, which may be keywords alone; None if there is no call in it."""
        tools = Tools({name: self._types[name]}, context_label=name)
        inner = text.strip(_SPACE)
        for one in (text, f"[{name}{inner}]", f"[{name}({inner})]"):
            if (call := only_call(one, tools)) and (one is text or call.span.start <= 1):
                data: dict[str, Any] = call.arguments
                return data
        return None

    def _meant(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """Data without marks in its keys, and without JSON in a string where the schema takes no string; else the same.

        A mark is taken off a key only if the schema knows the name without it, and the name is not there already. Where
        the data is the whole call, with the tool's name, its arguments are meant.
        """
        strings = [value for value in data.values() if isinstance(value, str)]
        is_plain = name not in strings and not any("<" in key for key in data)
        if is_plain and not any(string.lstrip(_SPACE).startswith(("{", "[")) for string in strings):
            return data
        expected = self._expected.get(name)
        if expected is None:  # there is no such tool, which the framework says
            return data
        if name in strings and not _has_names(data, expected):
            return self._call(name, json.dumps(data)) or data
        meant: dict[str, Any] = {}
        for key, value in data.items():
            plain = key if key in expected.names else REST.sub("", key).strip(_SPACE)
            plain = plain if plain in expected.names and (plain == key or plain not in data) else key
            meant[plain] = _decoded(value, expected.member(plain))
        is_same = all(key in meant and meant[key] is value for key, value in data.items())
        return data if is_same or len(meant) < len(data) else meant


def held_back(
    is_call: Callable[[Part], bool], repair: Callable[[list[Part]], Iterable[Part]]
) -> tuple[Callable[[Part], Iterator[Part]], Callable[[], Iterator[Part]]]:
    """What takes the parts of a stream, for `through`, and what ends it: from the first call on they come repaired."""
    held: list[Part] = []

    def take(part: Part) -> Iterator[Part]:
        if held or is_call(part):
            held.append(part)
        else:
            yield part

    def end() -> Iterator[Part]:
        if held:
            yield from repair(held)

    return take, end


def _object_of(text: str) -> dict[str, Any] | None:
    """The object that a text is, as the frameworks read JSON; None if it is anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _type_of(schema: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - a type
    try:
        dto_type = JsonSchema({"type": "object", **schema}, name=name)
        arguments_type(dto_type, coerce=False)
    except (ModuleNotFoundError, JsonSchemaError, TypeError):  # the framework has it that way
        return dict[str, Any]
    return dto_type


def _has_names(data: dict[str, Any], expected: Expected) -> bool:
    """Whether an object has the keys that a schema requires, and none that it does not know."""
    return expected.required <= data.keys() <= expected.names


def _decoded(value: Any, expected: Expected) -> Any:  # noqa: ANN401 - decoded JSON
    """The JSON in a string, if nothing but that is wanted; else the value."""
    if not isinstance(value, str) or "string" in expected.types:
        return value
    try:
        data, end, edits = decode_at(value.strip(_SPACE), 0)
    except (ValueError, RecursionError):
        return value
    is_wanted = (isinstance(data, dict) and expected.objects) or (isinstance(data, list) and expected.arrays)
    return data if is_wanted and end == len(value.strip(_SPACE)) and not edits else value
