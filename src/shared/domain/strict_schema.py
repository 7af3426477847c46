"""A type's JSON Schema, made valid for providers that hold a model strictly to one, or the reason why it cannot be.

With `strict: true` a provider writes nothing but what the schema allows, and takes a small part of JSON Schema only.
OpenAI documents the narrowest part in use (guide "Structured Outputs", sections "Supported schemas" and "Limitations",
as of November 2026); vLLM, SGLang, Ollama and Gemini take what is in it. Anthropic takes it without bounds of numbers
and arrays, and without types inside themselves.

What is rewritten:

- Every object is closed, and all its keys are required. A key that may be left out has to have a value that says as
  much: null, an empty array, or a default. Otherwise the model would have to invent one, and the type is refused.
- `oneOf` becomes `anyOf`. A `$ref` with a description gets `anyOf` around it. A tuple of equal items becomes an array
  of that length.
- What only narrows a value and is not documented is left out: lengths of strings, unknown formats, patterns that look
  around, `uniqueItems`. The answer is still validated with the type itself. Titles and defaults are left out, too.
- What cannot be said is refused: a root that is no object, objects with free keys, values of any type, tuples of
  different items, `allOf` of several, `not`, `if`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from src.shared.domain.language import Message, Phrase
from src.shared.domain.schema_walk import CHOICES, DEFINITIONS, Schema, parts_of, walk

MAX_PROPERTIES = 5_000
"""Properties of all objects together, those of a definition once."""
MAX_DEPTH = 10
"""Objects inside each other; a type inside itself is counted once."""
MAX_ENUM_VALUES = 1_000
"""Values of all enums together."""
MAX_NAMES = 120_000
"""Characters of the names of properties and definitions, and of the values of enums and constants, together."""
LARGE_ENUM = 250
"""Strings; an enum of more has the next limit, too."""
MAX_LARGE_ENUM_TEXT = 15_000
"""Characters of the values of one large enum."""

ANSWER = "$"
"""The path of the answer itself."""


class NotStrictError(ValueError):
    """A type cannot be held to strictly by a provider.

    Attributes:
        path: where in the answer, such as `$.items[].price`; `$` is the answer itself.
        reason: why.

    .. versionadded:: 0.1.0
    """

    def __init__(self, path: str, reason: Message) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        """The place, and the reason in the language that is asked for."""
        return f"{self.path}: {self.reason.text()}"


def check_limits(schema: Schema) -> None:
    """Check the size of a strict schema.

    Raises:
        NotStrictError: it is larger than a provider takes.
    """
    parts: list[Schema] = [part.schema for part in walk(schema, keywords=_READ)]
    properties = [name for part in parts for name in part.get("properties", ())]
    enums: list[list[object]] = [part["enum"] for part in parts if "enum" in part]
    constants = [part["const"] for part in parts if "const" in part]
    names = [*properties, *schema.get("$defs", ()), *constants, *(value for values in enums for value in values)]
    _at_most(MAX_PROPERTIES, len(properties), Phrase("properties"))
    _at_most(MAX_ENUM_VALUES, sum(map(len, enums)), Phrase("enum values"))
    _at_most(MAX_NAMES, _characters(names), Phrase("characters of names and values"))
    for values in enums:
        if len(values) > LARGE_ENUM:
            _at_most(MAX_LARGE_ENUM_TEXT, _characters(values), Phrase("characters of values in one enum"))
    _at_most(MAX_DEPTH, _depth(schema), Phrase("objects inside each other"))


def _at_most(limit: int, count: int, what: Message) -> None:
    if count > limit:
        reason = Phrase("{count} {what}, at most {limit}", count=count, what=what, limit=limit)
        raise NotStrictError(ANSWER, reason)


def _characters(values: list[object]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _depth(schema: Schema) -> int:
    """Objects inside each other, at most; a type inside itself adds nothing."""
    definitions: dict[str | None, Schema] = {**schema.get("$defs", {}), None: schema}
    known: dict[str | None, int] = {}
    begun = set[str | None]()
    waiting: list[tuple[str | None, bool]] = [(None, False)]
    while waiting:
        name, has_inner = waiting.pop()
        if has_inner:
            known[name] = _own_depth(definitions[name], known)
        elif name not in begun:
            begun.add(name)
            waiting.append((name, True))
            parts = (part.schema for part in walk(definitions[name], keywords=_WRITTEN))
            waiting += [(part["$ref"].removeprefix(DEFINITIONS), False) for part in parts if "$ref" in part]
    return known[None]


def _own_depth(schema: Schema, known: Mapping[str | None, int]) -> int:
    if "$ref" in schema:
        return known.get(schema["$ref"].removeprefix(DEFINITIONS), 0)
    inner = (_own_depth(part.schema, known) for part in parts_of(schema, keywords=_WRITTEN))
    return max(inner, default=0) + ("properties" in schema)


_WRITTEN = ("properties", "anyOf", "items")
"""Keywords of a strict schema that hold schemas, beside its definitions."""
_KEPT = {
    "string": ("pattern", "format"),
    "number": ("multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
    "integer": ("multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
    "array": ("minItems", "maxItems"),
    "object": (),
    "boolean": (),
    "null": (),
}
"""The types there are, and what may be said about each beside its parts."""
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_REFUSED = ("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties")
_TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
_SIGN = re.compile(
    r"""
    (?P<plain>
        \\[dDwWsSnrtfv]    # a class of characters, or white space
        | \\[^A-Za-z0-9]   # a sign that stands for itself
        | \(\?:            # a group that nothing refers to
    )
    | \\. | \(\?         # references back, edges of words, looking around, flags
    """,
    re.VERBOSE | re.DOTALL,
)
"""What begins with a backslash or `(?` in a pattern; only the plain ones are in every provider's grammars."""

_ROOT = Phrase("the root has to be an object, neither an array nor a choice of several types")
_FREE_KEYS = Phrase("an object with free keys, where strict mode takes fixed ones only")
_UNTYPED = Phrase("a value of any type, where strict mode asks for a type")
_TUPLE = Phrase("a tuple whose items differ, which strict mode cannot express")
_LEFT_OUT = Phrase("the key may be left out, but strict mode asks for every key: give it a default, or allow null")


def strict_schema(schema: Schema) -> Schema:
    """Rewrite a JSON Schema, as Pydantic generates it, so that it is valid with `strict: true`.

    Every value that is valid for the result is read by the type, or refused by what was left out. The schema given is
    not changed.

    Returns:
        A schema of its own.

    Raises:
        NotStrictError: the type cannot be held to strictly; it names the place and the reason.

    Example:
        >>> strict_schema({"type": "object", "properties": {"a": {"type": ["null"]}}})["required"]
        ['a']

    .. versionadded:: 0.1.0
    """
    _check_form(schema)
    given: object = schema
    if not isinstance(given, dict):
        raise NotStrictError(ANSWER, _UNTYPED)
    strict = _Writer(given.get("$defs", {})).document(given)
    check_limits(strict)
    return strict


MAX_LEVELS = 100
"""Schemas inside each other."""
_READ = frozenset({"properties", "$defs", *CHOICES, "allOf", "prefixItems", "items"})
"""Keywords with schemas that are looked at."""
_HELD: dict[object, type] = {"properties": dict, "$defs": dict, "$ref": str, "pattern": str, "enum": list}
_HELD |= dict.fromkeys((*CHOICES, "allOf", "prefixItems"), list)
"""What some keywords have to hold."""


def _check_form(schema: Schema) -> None:
    """Check that a value is a schema, and what the keywords hold that are looked at.

    Raises:
        NotStrictError: it is none, or too deep.
    """
    for part in walk(schema, keywords=_READ):
        steps = [*_steps(part.pointer)]
        path = "".join([ANSWER, *steps])
        _at_most(MAX_LEVELS, 1 + len(steps), Phrase("schemas inside each other"))
        if isinstance(part.schema, bool):
            continue  # what takes any value, or none, is refused where it stands
        if not isinstance(part.schema, dict):
            raise NotStrictError(path, Phrase("not a JSON Schema, which is an object"))
        for keyword, held in part.schema.items():
            texts = [held] if keyword == "type" and isinstance(held, str) else held
            is_form = isinstance(held, _HELD.get(keyword, object))
            if keyword in ("type", "required"):
                is_form = isinstance(texts, list) and all(isinstance(one, str) for one in texts)
            if not is_form:
                raise NotStrictError(
                    path, Phrase("not a JSON Schema: {keyword} holds something else than it has to", keyword=keyword)
                )


def _steps(pointer: str) -> Iterator[str]:
    """Each schema on the way to a schema, as a step in the answer: `.price`, `[]`, or nothing for the same value."""
    steps = iter(pointer.split("/")[1:])
    for keyword in steps:
        key = "" if keyword == "items" else next(steps).replace("~1", "/").replace("~0", "~")
        yield f".{key}" if keyword == "properties" else "[]" if keyword == "items" else ""


class _Writer:
    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._given = definitions
        self._places: dict[str, str] = {}

    def document(self, schema: object) -> Schema:
        """Rewrite the root, and the definitions that are referred to, each where it is met first."""
        for _ in self._given:
            if isinstance(schema, dict) and "$ref" in schema:
                schema = self._given[self._name(schema, ANSWER)]
        root = self.written(schema, ANSWER)
        if root.get("type") != "object":
            raise NotStrictError(ANSWER, _ROOT)
        definitions: dict[str, Schema] = {}
        while len(definitions) < len(self._places):  # one may refer to others
            for name in [*self._places][len(definitions) :]:
                definitions[name] = self.written(self._given[name], self._places[name])
        return {**root, "$defs": definitions} if definitions else root

    def written(self, schema: object, path: str) -> Schema:
        """Rewrite a schema; `path` says where its values stand in the answer."""
        if not isinstance(schema, dict):
            raise NotStrictError(path, _UNTYPED)
        parts = schema.get("allOf", ())
        if len(parts) > 1 or not all(isinstance(part, dict) for part in parts):
            raise _unsupported(path, "allOf")
        if parts:  # the one stands in the place of `allOf`
            schema = {**parts[0], **{key: value for key, value in schema.items() if key != "allOf"}}
        for keyword in _REFUSED:
            if keyword in schema:
                raise _unsupported(path, keyword)
        described = {"description": schema["description"]} if schema.get("description") else {}
        if "$ref" in schema:
            self._places.setdefault(self._name(schema, path), path)
            reference = {"$ref": schema["$ref"]}
            return {"anyOf": [reference], **described} if described else reference
        choices = [choice for keyword in CHOICES for choice in schema.get(keyword, ())]
        if choices:
            if "properties" in schema:
                raise _unsupported(path, "properties + anyOf")
            return {"anyOf": [self.written(choice, path) for choice in choices], **described}
        return {**self._value(schema, path), **described}

    def _name(self, schema: Schema, path: str) -> str:
        reference = str(schema["$ref"])
        name = reference.removeprefix(DEFINITIONS)
        if not reference.startswith(DEFINITIONS) or name not in self._given:
            raise _unsupported(path, f"$ref {reference}")
        return name

    def _value(self, schema: Schema, path: str) -> Schema:
        """Rewrite what is neither a reference nor a choice."""
        literals = [schema["const"]] if "const" in schema else schema.get("enum", ())
        if any(type(value) not in _TYPE_NAMES for value in literals):
            raise _unsupported(path, "enum { } [ ]")
        said = schema.get("type", [*dict.fromkeys(_TYPE_NAMES[type(value)] for value in literals)])
        types = [said] if isinstance(said, str) else list(said)
        if not types or any(name not in _KEPT for name in types):
            raise NotStrictError(path, _UNTYPED)
        strict: Schema = {"type": types[0] if len(types) == 1 else types}
        strict |= {key: schema[key] for key in ("enum", "const") if key in schema}
        for name in () if literals else types:
            strict |= {key: schema[key] for key in _KEPT[name] if key in schema and _is_known(key, schema[key])}
        if "object" in types and not literals:
            strict |= self._object(schema, path)
        if "array" in types and not literals:
            strict |= self._array(schema, path)
        return strict

    def _object(self, schema: Schema, path: str) -> Schema:
        members = schema.get("properties", {})
        if schema.get("additionalProperties", "properties" not in schema) is not False:
            raise NotStrictError(path, _FREE_KEYS)
        properties = {}
        for key, member in members.items():
            inside = f"{path}.{key}"
            if key not in schema.get("required", ()) and not self._can_say_nothing(member):
                raise NotStrictError(inside, _LEFT_OUT)
            properties[key] = self.written(member, inside)
        return {"properties": properties, "required": list(members), "additionalProperties": False}

    def _array(self, schema: Schema, path: str) -> Schema:
        inside = f"{path}[]"
        if "prefixItems" not in schema:
            return {"items": self.written(schema.get("items"), inside)}
        items = [self.written(item, inside) for item in schema["prefixItems"]]
        if not items or any(item != items[0] for item in items) or schema.get("maxItems") != len(items):
            raise NotStrictError(path, _TUPLE)
        return {"items": items[0]}

    def _can_say_nothing(self, member: object) -> bool:
        """Whether a value of the schema can stand for a key left out: a default, null, or an empty array."""
        waiting, seen = [member], set[str]()
        while waiting:
            for part in walk(waiting.pop(), keywords=(*CHOICES, "allOf")):
                schema = part.schema if isinstance(part.schema, dict) else {}
                types, values = schema.get("type", ()), [*schema.get("enum", ()), schema.get("const", "")]
                if schema.get("default") is not None or None in values:
                    return True
                if "null" in types or ("array" in types and not schema.get("minItems")):
                    return True
                reference = schema.get("$ref", "").removeprefix(DEFINITIONS)
                if reference in self._given and reference not in seen:
                    seen.add(reference)
                    waiting.append(self._given[reference])
        return False


def _is_known(keyword: str, value: object) -> bool:
    """Whether a provider takes this value of the keyword."""
    if keyword == "format":
        return isinstance(value, str) and value in _FORMATS
    if keyword == "pattern":
        return all(sign["plain"] for sign in _SIGN.finditer(str(value)))
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _unsupported(path: str, keyword: str) -> NotStrictError:
    return NotStrictError(path, Phrase("strict mode does not support {keyword}", keyword=keyword))
