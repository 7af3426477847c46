"""A type as a language model reads it best: a commented skeleton of the JSON instead of a JSON Schema.

It is made from the JSON Schema that Pydantic generates, so it cannot drift from the type. Whatever the schema says is
in it, known keywords in short, all others as they are. Left out are titles, and the docstrings of models and enums,
which are written for developers.

The notation: `"key": type, // notes; description`. Types are JSON Schema's words, literals are JSON, `[T]` is a list
of T (an ellipsis would be copied), `{[key: string]: T}` an object with free keys, `A | B` one of two. A type that
stands in more than one place, or inside itself, is named there and written once, below: `Name = type`. That bounds
the length, whatever the types are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import core_schema

from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of
from src.shared.domain.schema_walk import DEFINITIONS, Schema, walk, with_parts

_SILENT = frozenset({"$defs", "title", "default", "description"})
_BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
_BOUNDS |= {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}  # so Pydantic writes them for a union
_COUNTS = {
    "length": ("minLength", "maxLength"),
    "items": ("minItems", "maxItems"),
    "keys": ("minProperties", "maxProperties"),
}
_LONGEST_DEFAULT = 80
"""Characters; a longer default is left out."""


def _notes_of(schema: dict[str, Any], said: Collection[str]) -> list[str]:
    """List what a schema says beyond the keywords that are `said`; a keyword not known here is given as it stands."""
    rest = {key: value for key, value in schema.items() if key not in said and key not in _SILENT}
    notes = []
    with suppress(ValueError):  # JSON cannot write it
        default = json.dumps(schema["default"], ensure_ascii=False, allow_nan=False) if "default" in schema else ""
        notes += [f"default {default}"] if 0 < len(default) <= _LONGEST_DEFAULT else []
    notes += _constraints(rest)
    description = " ".join(schema.get("description", "").split())
    return [*notes, description] if description else notes


def _json_text(value: object) -> str:
    """Write a value as JSON, every character as it is."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _constraints(rest: dict[str, Any]) -> Iterator[str]:
    if "format" in rest:
        yield str(rest.pop("format"))
    bounds = [f"{sign}{rest.pop(key)}" for key, sign in _BOUNDS.items() if key in rest]
    if bounds:
        yield " ".join(bounds)
    for what, (least, most) in _COUNTS.items():
        low, high = rest.pop(least, None), rest.pop(most, None)
        limits = [f"={low}"] if low == high else [f">={low}", f"<={high}"]
        if low is not None or high is not None:
            yield " ".join([what, *(limit for limit in limits if not limit.endswith("None"))])
    for key, value in rest.items():
        match key, value:
            case "pattern", str():
                yield _regex(value)
            case "additionalProperties", False:
                yield "no other keys"
            case _:
                yield key if value is True else f"{key} {_json_text(value)}"


def _regex(pattern: str) -> str:
    """Write a pattern between slashes, on one line."""
    return f"/{pattern}/".replace("\n", "\\n")


_SINGLE = ("items", "additionalProperties", "propertyNames")
_MAPPINGS = ("properties", "patternProperties")
_CHOICES = {"anyOf": " | ", "oneOf": " | ", "allOf": " & "}
_WRITTEN = frozenset({*_MAPPINGS, *_CHOICES, *_SINGLE, "prefixItems"})
"""Keywords whose schemas are written as types; those of others are written as JSON."""
_IMPLIED = {"object": "properties", "array": "items"}
"""What a schema without a type is about, by a keyword that it has."""
_NOTHING: Schema = {"not": {}}
_NOTES = ("title", "description", "default", "examples", "$defs")
_OF_THE_FILE = ("$schema", "$id", "$anchor", "$comment", "$vocabulary")
"""What says nothing about the answer."""


def _as_pydantic_spells(schema: Any) -> Schema:  # noqa: ANN401 - a schema may be true or false
    """A schema with the bare names of its `$defs` as references, without `true` and `false`, each structure typed."""
    if not isinstance(schema, dict):
        return {} if schema else _NOTHING
    said = {key: value for key, value in schema.items() if key not in _OF_THE_FILE}
    others = said.get("additionalProperties", {})
    spelled = with_parts(said, _as_pydantic_spells, _WRITTEN | {"$defs"})
    if isinstance(others, bool):
        spelled["additionalProperties"] = others  # Pydantic writes these
    if "$ref" in spelled:
        spelled["$ref"] = spelled["$ref"].removeprefix(DEFINITIONS)
    if spelled.get("items") == _NOTHING:
        del spelled["items"]  # no items but the first ones, which is how a tuple is written anyway
    if "type" not in spelled:
        spelled |= next(({"type": kind} for kind, keyword in _IMPLIED.items() if keyword in spelled), {})
    return _one_type_a_structure(spelled)


def _one_type_a_structure(schema: Schema) -> Schema:
    """`{"type": ["object", "null"], ...}` as a choice, so that what is in the object is written as an object."""
    types = schema.get("type")
    if not isinstance(types, list) or "enum" in schema or not {"object", "array"}.intersection(types):
        return schema
    notes = {key: value for key, value in schema.items() if key in _NOTES}
    rest = {key: value for key, value in schema.items() if key not in notes and key != "type"}
    first = next(name for name in types if name in ("object", "array"))
    return {**notes, "anyOf": [{"type": name, **(rest if name == first else {})} for name in types]}


_INDENT = "  "
_MOST_INSIDE = 16
"""Definitions that are written inside each other; the next one is named, however often it is used."""


def describe_type(dto_type: AnswerType[Any]) -> str:
    """Describe the JSON that a type is validated from, for a prompt; the same type gives the same text.

    Returns:
        The lines, with a comment where the type says more.

    Raises:
        pydantic.errors.PydanticInvalidForJsonSchema: a field's type cannot be written as JSON, such as a function.

    Example:
        >>> from pydantic import BaseModel
        >>> class Review(BaseModel):
        ...     score: int
        >>> print(describe_type(Review))
        {
          "score": integer
        }

    .. versionadded:: 0.1.0
    """
    if isinstance(dto_type, SchemaType):
        return _Description(_as_pydantic_spells(dto_type.json_schema())).text()
    return _Description(adapter_of(dto_type).json_schema(ref_template="{model}", schema_generator=_Generator)).text()


class _Generator(GenerateJsonSchema):
    """Pydantic's generator without its warnings, and with a decimal's constraints instead of a pattern for it."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as Pydantic declares it

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> Schema:
        """Both spellings of a decimal, with its constraints to the digit."""
        names = ("ge", "gt", "le", "lt", "multiple_of", "max_digits", "decimal_places")
        return {"type": ["number", "string"], "format": "decimal", **{k: v for k, v in schema.items() if k in names}}


@dataclass(frozen=True, slots=True)
class _Type:
    """A type as it is written.

    Attributes:
        lines: the type; the indent of each is counted from its own beginning.
        notes: what else holds for it: constraints, the default, the description.
        is_choice: whether several types are written, so that notes behind them need brackets around them.
    """

    lines: list[str]
    notes: list[str]
    is_choice: bool = False


class _Description:
    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._definitions: dict[str, Schema] = schema.get("$defs", {})
        self._named = {name for name, places in self._places().items() if places > 1}
        self._used: dict[str, None] = {}
        self._depth = 0

    def text(self) -> str:
        """The root, then every named type in the order in which it is first used."""
        root = self._type(_without_docstring(self._root))
        blocks = [] if [*self._used] == root.lines else [_commented(root)]
        written = 0
        while written < len(self._used):  # it grows while the types before it are written
            for name in [*self._used][written:]:
                definition = self._type(_without_docstring(self._definitions[name]))
                blocks.append(_around(f"{name} = ", _commented(definition)))
                written += 1
        return "\n".join(line for block in blocks for line in block)

    def _places(self) -> Counter[str]:
        """In how many places each definition is referred to."""
        places: Counter[str] = Counter()
        waiting = [self._root]
        while waiting:
            for part in walk(waiting.pop(), keywords=_WRITTEN):
                name = part.schema.get("$ref") if isinstance(part.schema, dict) else None
                if name in self._definitions:
                    places[name] += 1
                    waiting += [self._definitions[name]] if places[name] == 1 else []
        return places

    def _type(self, schema: Schema) -> _Type:
        name = schema.get("$ref")
        if name in self._named or (name in self._definitions and self._depth == _MOST_INSIDE):
            self._used[name] = None
            return _Type([name], _notes_of(schema, {"$ref"}))
        if name in self._definitions:
            own = {key: value for key, value in schema.items() if key != "$ref"}
            self._depth += 1
            written = self._type({**_without_docstring(self._definitions[name]), **own})
            self._depth -= 1
            return written
        lines, said = self._written(schema)
        is_choice = not {*_CHOICES, "enum"}.isdisjoint(schema) or isinstance(schema.get("type"), list)
        return _Type(lines, _notes_of(schema, said), is_choice)

    def _written(self, schema: Schema) -> tuple[list[str], set[str]]:
        """Write the type itself, and say which keywords that covers."""
        if "const" in schema:
            return [_json_text(schema["const"])], {"const", "type"}
        if "enum" in schema:
            return [" | ".join(map(_json_text, schema["enum"]))], {"enum", "type"}
        for keyword, sign in _CHOICES.items():
            if keyword in schema:
                return _joined([self._inner(choice) for choice in schema[keyword]], sign), {keyword, "discriminator"}
        kind = schema.get("type", "any")
        if kind == "array":
            return self._list(schema), {"type", "items", "prefixItems"}
        if kind == "object":
            return self._object(schema)
        return [kind if isinstance(kind, str) else " | ".join(kind)], {"type"}

    def _inner(self, schema: Schema) -> list[str]:
        """A type that has no line of its own: its notes stand in brackets behind it."""
        inner = self._type(schema)
        if not inner.notes:
            return inner.lines
        lines = _around("(", inner.lines, ")") if inner.is_choice else inner.lines
        return _around("", lines, f" ({'; '.join(inner.notes)})")

    def _list(self, schema: Schema) -> list[str]:
        if "prefixItems" not in schema:
            return _around("[", self._inner(schema.get("items", {})), "]")
        items = [self._inner(item) for item in schema["prefixItems"]]
        if "items" in schema:
            items.append(_around("...", self._inner(schema["items"])))
        return _around("[", _joined(items, ", "), "]")

    def _object(self, schema: Schema) -> tuple[list[str], set[str]]:
        said = {"type", *_MAPPINGS, "required", "propertyNames"}
        if schema.get("additionalProperties") is not False:
            said.add("additionalProperties")
        free = self._free_members(schema)
        members = [*self._members(schema), *(_Type(lines, []) for lines in free)]
        if len(members) == len(free):
            return _around("{", _joined(free, ", "), "}"), said
        lines = ["{"]
        for left, member in zip(range(len(members) - 1, -1, -1), members, strict=True):
            written = _Type(_around("", member.lines, "," if left else ""), member.notes)
            lines += (_INDENT + line for line in _commented(written))
        return [*lines, "}"], said

    def _members(self, schema: Schema) -> Iterator[_Type]:
        required = schema.get("required", ())
        for name, member in schema.get("properties", {}).items():
            written = self._type(member)
            optional = [] if name in required else ["optional"]
            yield _Type(_around(f"{_json_text(name)}: ", written.lines), [*optional, *written.notes])

    def _free_members(self, schema: Schema) -> list[list[str]]:
        """The members whose keys are not fixed."""
        free = [(f"string {_regex(key)}", member) for key, member in schema.get("patternProperties", {}).items()]
        others = schema.get("additionalProperties", _MAPPINGS[0] not in schema and _MAPPINGS[1] not in schema)
        if others is not False:
            names = schema.get("propertyNames", {})
            key = " ".join(self._inner(names if "$ref" in names else {"type": "string", **names}))
            free.append((key, {} if others is True else others))
        return [_around(f"[key: {key}]: ", self._inner(member)) for key, member in free]


def _without_docstring(definition: Schema) -> Schema:
    """A definition without its description, which is the docstring of a class where it is an object or an enum."""
    is_class = "properties" in definition or "enum" in definition or "const" in definition
    return {key: value for key, value in definition.items() if not (is_class and key == "description")}


def _around(before: str, lines: list[str], after: str = "") -> list[str]:
    wrapped = [before + lines[0], *lines[1:]]
    wrapped[-1] += after
    return wrapped


def _joined(pieces: list[list[str]], sign: str) -> list[str]:
    """Pieces of one or several lines, one after the other, with a sign between them."""
    joined = [""]
    for number, piece in enumerate(pieces):
        joined[-1] += (sign if number else "") + piece[0]
        joined += piece[1:]
    return joined


def _commented(written: _Type) -> list[str]:
    """A type's lines, its notes as a comment on the first of them."""
    if not written.notes:
        return written.lines
    return [f"{written.lines[0]} // {'; '.join(written.notes)}", *written.lines[1:]]
