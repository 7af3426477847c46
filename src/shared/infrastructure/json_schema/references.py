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
from typing import Any
from urllib.parse import unquote

from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import DEFINITIONS, ROOT, Schema, parts_of, pointer_to, walk, with_parts
from src.shared.infrastructure.json_schema.drafts import SchemaDialect, refused, too_large

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


class References:
    """The references of a checked schema. A schema is named by its place, a JSON pointer.

    Attributes:
        places: every schema in it that may be applied, the root first, by its place.
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
        self.places: dict[str, Any] = {}
        self._targets: dict[str, str] = {}
        self._anchors: dict[str, str] = {}
        self._characters = self._patterns = 0
        unresolved = self._collect(ROOT, root)
        while unresolved:
            unresolved += self._collect(*self._resolve(unresolved.pop()))
        known: dict[str, tuple[int, int]] = {}
        for place in self.places:
            self._applied(place, known, ())

    def target(self, schema: Schema) -> str:
        """The place that a schema's `$ref` leads to."""
        return self._targets[schema["$ref"]]

    def resolved(self, place: str) -> str:
        """The place of a schema, or of what it stands for if it is a reference and nothing else."""
        schema = self.places[place]
        while isinstance(schema, dict) and schema.keys() <= _ONLY_A_REF and "$ref" in schema:
            place = self.target(schema)
            schema = self.places[place]
        return place

    def together(self, place: str) -> Iterator[str]:
        """The schemas that are applied to a value with this one, itself included, each as often as it is."""
        waiting = [place]
        while waiting:
            place = waiting.pop()
            if isinstance(self.places[place], dict):
                yield place
                waiting += self._same(place)

    def _collect(self, place: str, schema: object) -> list[str]:
        """Note every schema in this one that is not noted yet; the places of those with a reference."""
        unresolved = []
        for part in walk(schema, place, known=self.places):
            self.places[part.pointer] = part.schema
            self._characters += len(part.pointer)
            if self._characters > MAX_POINTERS:
                raise too_large(ROOT, MAX_POINTERS, "个字符的内部路径", "characters of all paths in it")
            if not isinstance(part.schema, dict):
                continue
            self.dialect.check(part.schema, part.pointer)
            self._patterns += ("pattern" in part.schema) + len(part.schema.get("patternProperties", ()))
            if self._patterns > MAX_PATTERNS:
                raise too_large(ROOT, MAX_PATTERNS, "个正则表达式", "patterns")
            if "$anchor" in part.schema:
                self._anchors[part.schema["$anchor"]] = part.pointer
            if "$ref" in part.schema:
                unresolved.append(part.pointer)
        return unresolved

    def _resolve(self, place: str) -> tuple[str, object]:
        """The place that a schema's reference leads to, and the schema there."""
        reference = self.places[place]["$ref"]
        said = one_line(reference, _REF_LIMIT)
        base, _, fragment = reference.partition("#")
        if base not in ("", str(self._root.get("$id", "")).removesuffix("#")):
            zh, en = "指向外部，不会被读取", "leads elsewhere, and nothing is fetched"
            raise refused(place, f"$ref {said} {zh}", f"the $ref {said} {en}")
        fragment = unquote(fragment)
        if fragment.startswith("/") or not fragment:
            target, schema = self._at(fragment)
        else:
            target = self._anchors.get(fragment, "")
            schema = self.places.get(target)
        if not isinstance(schema, (dict, bool)):
            raise refused(place, f"$ref {said} 没有指向任何 Schema", f"the $ref {said} leads to no schema")
        self._targets[reference] = target
        return target, schema

    def _at(self, pointer: str) -> tuple[str, object]:
        found: Any = self._root
        path: list[str] = []
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and _INDEX.fullmatch(key) and int(key) < len(found):
                found = found[int(key)]
            else:
                found = found.get(key) if isinstance(found, dict) else None
            path.append(key)
        return pointer_to(ROOT, path), found

    def _same(self, place: str) -> list[str]:
        """What a schema applies to its own value, each as often as the validator does."""
        schema = self.places[place]
        same = [part.pointer for part in parts_of(schema, place) if part.same_value]
        same += [self.target(schema)] if "$ref" in schema else []
        return same * _TIMES_AGAIN if any(keyword in schema for keyword in _AGAIN) else same

    def _applied(self, place: str, known: dict[str, tuple[int, int]], outer: tuple[str, ...]) -> tuple[int, int]:
        """How many schemas are applied to a value with this one, and how many of them follow from each other."""
        if place in outer:
            raise refused(place, "$ref 指向自身，没有尽头", "a $ref leads back to itself without end")
        if place in known or not isinstance(self.places[place], dict):
            return known.get(place, (1, 1))
        same = [] if len(outer) == MAX_CHAIN else self._same(place)
        inner = [self._applied(one, known, (*outer, place)) for one in same]
        times, chain = 1 + sum(count for count, _ in inner), 1 + max((length for _, length in inner), default=0)
        if times > MAX_APPLIED:
            what = "schemas that are applied to one value"
            raise too_large(place, MAX_APPLIED, "个作用于同一个值的 Schema", what)
        if max(chain, len(outer) + 1) > MAX_CHAIN:
            what = "schemas that follow from each other for one value"
            raise too_large(place, MAX_CHAIN, "个依次作用于同一个值的 Schema", what)
        known[place] = times, chain
        return times, chain


_NAME = re.compile(r"[A-Za-z0-9_.-]++")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]++")
_OF_PLACES = ("$defs", "definitions", "$anchor", "$id")


def with_definitions(root: Schema, references: References) -> Schema:
    """The schema, its references named; the schema itself where they all are. Its parts are not copied."""
    if all(_is_named(schema) for schema in references.places.values()):
        return root
    names: dict[str, str] = {}
    taken: set[str] = set()
    waiting: list[str] = []

    def name_of(target: str) -> str:
        if target not in names:
            last = _NOT_IN_A_NAME.sub("_", target.rpartition("/")[2]).strip("_") or "Root"
            name = last if last not in taken else f"{last}_{len(names)}"
            while name in taken:
                name += "_"
            taken.add(name)
            names[target] = name
            waiting.append(target)
        return names[target]

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
        definitions[names[target]] = written(references.places[target])
    return {**copy, "$defs": definitions}


def _is_named(schema: Any) -> bool:  # noqa: ANN401 - a schema may be true or false
    if not isinstance(schema, dict) or "$ref" not in schema:
        return True
    reference = schema["$ref"]
    return reference.startswith(DEFINITIONS) and _NAME.fullmatch(reference, len(DEFINITIONS)) is not None
