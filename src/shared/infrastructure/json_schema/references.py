"""A schema's references: each leads to a place in the schema itself, and none of them back to itself.

Nothing is fetched, from the network or from a file. What is applied to one value is bounded, since a validator may
evaluate it anew for each way that leads there: a chain of thirty definitions that each refer twice to the next would be
a billion evaluations.

A prompt's description, a provider's strict mode and a request all read a schema as Pydantic writes one: every `$ref`
names one of the `$defs` of the root. `with_definitions` makes it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import DEFINITIONS, ROOT, Schema, parts_of, pointer_to, walk, with_parts
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError, SchemaDialect, refused, too_large

MAX_APPLIED = 500
"""Schemas that are applied to one value: through references, `allOf`, `anyOf` and the like, each as often as it is."""
MAX_CHAIN = 50
"""Of them, those that follow from each other."""
MAX_PATTERNS = 1_000
"""Patterns, of which each may take a millisecond to compile."""
MAX_POINTERS = 5_000_000
"""Characters of the paths of all schemas in it."""
_REF_LIMIT = 120
_INDEX = re.compile(r"0|[1-9][0-9]{0,5}+")
"""An index of a JSON pointer (RFC 6901, section 4): one spelling each, so that no schema has several places."""
_ONLY_A_REF = frozenset({"$ref", "title", "description"})
_AGAIN = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords for which the validator evaluates the others again, to know what they let in."""
_TIMES_AGAIN = 3
"""How often it does so in all, at most, as measured."""


class Place(NamedTuple):
    """A schema and where it stands, as a JSON pointer."""

    pointer: str
    schema: Any


class _Applied(NamedTuple):
    """How many schemas are applied to one value, and how many of them follow from each other."""

    times: int
    chain: int


class References:
    """The references of a checked schema.

    Attributes:
        places: every schema in it that may be applied, the root first, by its pointer.
        dialect: its draft.
    """

    def __init__(self, root: Schema, dialect: SchemaDialect) -> None:
        """Follow all references once.

        Raises:
            JsonSchemaError: one leads elsewhere, nowhere or in a circle, too much is applied to one value, or there are
                too many patterns.
        """
        self._root = root
        self.dialect = dialect
        self._targets: dict[str, Place] = {}
        self.places: dict[str, Any] = {}
        anchors: dict[str, Place] = {}
        characters = patterns = 0
        waiting = [Place(ROOT, root)]
        unresolved: list[Place] = []
        while waiting:
            first = waiting.pop()
            for part in walk(first.schema, first.pointer, known=self.places):
                place = Place(part.pointer, part.schema)
                self.places[place.pointer] = place.schema
                characters += len(place.pointer)
                if characters > MAX_POINTERS:
                    raise too_large(ROOT, MAX_POINTERS, "个字符的内部路径", "characters of all paths in it")
                if not isinstance(place.schema, dict):
                    continue
                dialect.check(place.schema, place.pointer)
                patterns += ("pattern" in place.schema) + len(place.schema.get("patternProperties", ()))
                if patterns > MAX_PATTERNS:
                    raise too_large(ROOT, MAX_PATTERNS, "个正则表达式", "patterns")
                if "$anchor" in place.schema:
                    anchors[place.schema["$anchor"]] = place
                if "$ref" in place.schema:
                    unresolved.append(place)
            if unresolved:
                waiting.append(self._resolve(unresolved.pop(), anchors))
        known: dict[str, _Applied] = {}
        for pointer, schema in self.places.items():
            self._applied(Place(pointer, schema), known, ())

    def target(self, schema: Schema) -> Place:
        """The schema that a schema's `$ref` stands for."""
        return self._targets[schema["$ref"]]

    def resolved(self, pointer: str) -> Place:
        """A schema, or what it stands for if it is a reference and nothing else."""
        place = Place(pointer, self.places[pointer])
        while isinstance(place.schema, dict) and place.schema.keys() <= _ONLY_A_REF and "$ref" in place.schema:
            place = self.target(place.schema)
        return place

    def together(self, pointer: str) -> Iterator[Place]:
        """The schemas that are applied to a value with this one, itself included, each as often as it is."""
        waiting = [Place(pointer, self.places[pointer])]
        while waiting:
            place = waiting.pop()
            if isinstance(place.schema, dict):
                yield place
                waiting += self._same(place)

    def _resolve(self, place: Place, anchors: dict[str, Place]) -> Place:
        reference = place.schema["$ref"]
        base, _, fragment = reference.partition("#")
        if base not in ("", str(self._root.get("$id", "")).removesuffix("#")):
            raise _wrong(place, "指向外部，不会被读取", "leads elsewhere, and nothing is fetched")
        fragment = unquote(fragment)
        found = self._at(fragment) if fragment.startswith("/") or not fragment else anchors.get(fragment)
        if found is None or not isinstance(found.schema, (dict, bool)):
            raise _wrong(place, "没有指向任何 Schema", "leads to no schema")
        self._targets[reference] = found
        return found

    def _at(self, pointer: str) -> Place | None:
        found: Any = self._root
        path: list[str] = []
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and _INDEX.fullmatch(key) and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                return None
            path.append(key)
        return Place(pointer_to(ROOT, path), found)

    def _same(self, place: Place) -> list[Place]:
        """What a schema applies to its own value, each as often as the validator does."""
        pointer, schema = place
        same = [Place(part.pointer, part.schema) for part in parts_of(schema, pointer) if part.same_value]
        same += [self.target(schema)] if "$ref" in schema else []
        return same * _TIMES_AGAIN if any(keyword in schema for keyword in _AGAIN) else same

    def _applied(self, place: Place, known: dict[str, _Applied], outer: tuple[str, ...]) -> _Applied:
        """What is applied to a value that this schema is applied to, itself included."""
        pointer, schema = place
        if pointer in outer:
            raise refused(pointer, "$ref 指向自身，没有尽头", "a $ref leads back to itself without end")
        if pointer in known or not isinstance(schema, dict):
            return known.get(pointer, _Applied(1, 1))
        found = [] if len(outer) == MAX_CHAIN else self._same(place)
        inner = [self._applied(one, known, (*outer, pointer)) for one in found]
        times, chain = 1 + sum(one.times for one in inner), 1 + max((one.chain for one in inner), default=0)
        if times > MAX_APPLIED:
            what = "schemas that are applied to one value"
            raise too_large(pointer, MAX_APPLIED, "个作用于同一个值的 Schema", what)
        if max(chain, len(outer) + 1) > MAX_CHAIN:
            what = "schemas that follow from each other for one value"
            raise too_large(pointer, MAX_CHAIN, "个依次作用于同一个值的 Schema", what)
        known[pointer] = _Applied(times, chain)
        return known[pointer]


def _wrong(place: Place, zh: str, en: str) -> JsonSchemaError:
    said = one_line(place.schema["$ref"], _REF_LIMIT)
    return refused(place.pointer, f"$ref {said} {zh}", f"the $ref {said} {en}")


_NAME = re.compile(r"[A-Za-z0-9_.-]++")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]++")
_OF_PLACES = ("$defs", "definitions", "$anchor", "$id")


def with_definitions(root: Schema, references: References) -> Schema:
    """The schema, its references named; the schema itself where they all are. Its parts are not copied."""
    if all(_is_named(schema) for schema in references.places.values()):
        return root
    names: dict[str, str] = {}
    taken: set[str] = set()
    waiting: list[Place] = []

    def name_of(target: Place) -> str:
        if target.pointer not in names:
            last = _NOT_IN_A_NAME.sub("_", target.pointer.rpartition("/")[2]).strip("_") or "Root"
            name = last if last not in taken else f"{last}_{len(names)}"
            while name in taken:
                name += "_"
            taken.add(name)
            names[target.pointer] = name
            waiting.append(target)
        return names[target.pointer]

    def written(schema: Any) -> Any:  # noqa: ANN401 - a schema may be true or false
        if not isinstance(schema, dict):
            return schema
        copy = {key: value for key, value in schema.items() if key not in _OF_PLACES}
        if "$ref" in schema:
            copy["$ref"] = DEFINITIONS + name_of(references.target(schema))
        return with_parts(copy, written)

    copy = written(root)
    definitions: Schema = {}
    while waiting:
        target = waiting.pop()
        definitions[names[target.pointer]] = written(target.schema)
    return {**copy, "$defs": definitions}


def _is_named(schema: Any) -> bool:  # noqa: ANN401 - a schema may be true or false
    if not isinstance(schema, dict) or "$ref" not in schema:
        return True
    reference = schema["$ref"]
    return reference.startswith(DEFINITIONS) and _NAME.fullmatch(reference, len(DEFINITIONS)) is not None
