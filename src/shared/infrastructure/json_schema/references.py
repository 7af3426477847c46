"""A schema's references: each leads to a place in the schema itself, and none of them back to itself.

Nothing is fetched, from the network or from a file. What is applied to one value is bounded, since a validator may
evaluate it anew for each way that leads there: a chain of thirty definitions that each refer twice to the next would be
a billion evaluations.

The drafts from 6 on say the same with the keywords that hold schemas, apart from what `drafts.py` refuses. A keyword
that is not here holds none, whatever is in it: `{"properties": {"$ref": {...}}}` has a property of that name and no
reference.

A prompt's description, a provider's strict mode and a request all read a schema as Pydantic writes one: every `$ref`
names one of the `$defs` of the root. `with_definitions` makes it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.json_schema.drafts import ROOT, Draft, JsonSchemaError, pointer_to

Schema = dict[str, Any]

ALTERNATIVES = ("anyOf", "oneOf")
_LISTS = {"allOf": True, "anyOf": True, "oneOf": True, "prefixItems": False}
"""Keywords with a list of schemas, and whether these are applied to the same value as the schema they are in."""
_MAPS = {"dependentSchemas": True, "dependencies": True, "properties": False, "patternProperties": False}
_MAPS |= {"$defs": False, "definitions": False}
"""Keywords with schemas by keys."""
_SINGLE = dict.fromkeys(("not", "if", "then", "else"), True)
_SINGLE |= dict.fromkeys(("additionalProperties", "propertyNames", "unevaluatedProperties"), False)
_SINGLE |= dict.fromkeys(("items", "contains", "unevaluatedItems", "additionalItems", "contentSchema"), False)
"""Keywords with one schema."""


_AGAIN = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords for which the validator evaluates the others again, to know what they let in."""
_TIMES_AGAIN = 3
"""How often it does so in all, at most, as measured."""


class Part(NamedTuple):
    """A schema inside a schema.

    Attributes:
        path: the keyword, and the key or index within it.
        schema: the schema, which may be true or false.
        same_value: whether it is applied to the value that the outer one is applied to, and not to a member of it.
    """

    path: tuple[str | int, ...]
    schema: Any
    same_value: bool


def parts_of(schema: Schema) -> Iterator[Part]:
    """The schemas directly inside a schema, in a fixed order."""
    for keyword, same_value in _LISTS.items():
        for at, inner in enumerate(schema.get(keyword, ())):
            yield Part((keyword, at), inner, same_value)
    for keyword, same_value in _MAPS.items():
        for key, inner in schema.get(keyword, {}).items():
            if not isinstance(inner, list):  # `dependencies` may name keys
                yield Part((keyword, key), inner, same_value)
    for keyword, same_value in _SINGLE.items():
        if keyword in schema:
            yield Part((keyword,), schema[keyword], same_value)


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
_IN_A_CHAIN = Phrase("schemas that follow from each other for one value")


class Place(NamedTuple):
    """A schema and where it stands, as a JSON pointer."""

    pointer: str
    schema: Any


class References:
    """The references of a checked schema.

    Attributes:
        places: every schema in it that may be applied, the root first.
    """

    def __init__(self, root: dict[str, Any], draft: Draft) -> None:
        """Follow all references once.

        Raises:
            JsonSchemaError: one leads elsewhere, nowhere or in a circle, too much is applied to one value, or there are
                too many patterns.
        """
        self._root = root
        self._base = str(root.get("$id", "")).removesuffix("#")
        self._draft = draft
        self._targets: dict[str, Place] = {}
        self._anchors: dict[str, Place] = {}
        self._unresolved: list[Place] = []
        self._characters = self._patterns = 0
        self.places: dict[str, Any] = {}
        self._collect(Place(ROOT, root))
        while self._unresolved:
            self._collect(self._resolved(self._unresolved.pop()))
        known: dict[str, _Applied] = {}
        for pointer, schema in self.places.items():
            self._applied(Place(pointer, schema), known, ())

    def target(self, schema: dict[str, Any]) -> Place:
        """The schema that a schema's `$ref` stands for."""
        return self._targets[schema["$ref"]]

    def resolved(self, pointer: str, schema: Any) -> Place:  # noqa: ANN401 - a schema may be true or false
        """A schema, or what it stands for if it is a reference and nothing else."""
        place = Place(pointer, schema)
        while isinstance(place.schema, dict) and place.schema.keys() <= _ONLY_A_REF and "$ref" in place.schema:
            place = self.target(place.schema)
        return place

    def _collect(self, first: Place) -> None:
        """Note every schema in this one."""
        waiting = [first]
        while waiting:
            pointer, schema = waiting.pop()
            if pointer in self.places:
                continue
            self.places[pointer] = schema
            self._characters += len(pointer)
            if self._characters > MAX_POINTERS:
                raise _too_many(ROOT, MAX_POINTERS, Phrase("characters of all paths in it"))
            if isinstance(schema, dict):
                self._note(Place(pointer, schema))
                parts = [Place(pointer_to(pointer, part.path), part.schema) for part in parts_of(schema)]
                waiting.extend(reversed(parts))

    def _note(self, place: Place) -> None:
        for refusal in self._draft.refusals(place.schema, place.pointer, is_root=place.pointer == ROOT):
            raise refusal
        self._patterns += ("pattern" in place.schema) + len(place.schema.get("patternProperties", ()))
        if self._patterns > MAX_PATTERNS:
            raise _too_many(ROOT, MAX_PATTERNS, Phrase("patterns"))
        if "$anchor" in place.schema:
            self._anchors[place.schema["$anchor"]] = place
        if "$ref" in place.schema:
            self._unresolved.append(place)

    def _resolved(self, place: Place) -> Place:
        reference = place.schema["$ref"]
        base, _, fragment = reference.partition("#")
        if base not in ("", self._base):
            raise _wrong(place, reference, Phrase("leads elsewhere, and nothing is fetched"))
        fragment = unquote(fragment)
        found = self._at(fragment) if fragment.startswith("/") or not fragment else self._anchors.get(fragment)
        if found is None or not isinstance(found.schema, (dict, bool)):
            raise _wrong(place, reference, Phrase("leads to no schema"))
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

    def together(self, pointer: str) -> Iterator[Place]:
        """The schemas that are applied to a value with this one, itself included, each as often as it is."""
        waiting = [Place(pointer, self.places[pointer])]
        while waiting:
            place = waiting.pop()
            if isinstance(place.schema, dict):
                yield place
                waiting += self._same(place)

    def _same(self, place: Place) -> list[Place]:
        """What a schema applies to its own value, each as often as the validator does."""
        pointer, schema = place
        same = [Place(pointer_to(pointer, part.path), part.schema) for part in parts_of(schema) if part.same_value]
        same += [self.target(schema)] if "$ref" in schema else []
        return same * _TIMES_AGAIN if any(keyword in schema for keyword in _AGAIN) else same

    def _applied(self, place: Place, known: dict[str, _Applied], outer: tuple[str, ...]) -> _Applied:
        """What is applied to a value that this schema is applied to, itself included."""
        pointer, schema = place
        if pointer in outer:
            endless = Phrase("a $ref leads back to itself without end")
            raise JsonSchemaError(pointer, endless)
        if pointer in known or not isinstance(schema, dict):
            return known.get(pointer, _Applied(1, 1))
        if len(outer) == MAX_CHAIN:
            raise _too_many(pointer, MAX_CHAIN, _IN_A_CHAIN)
        found = [self._applied(one, known, (*outer, pointer)) for one in self._same(place)]
        all_in_all = _Applied(1 + sum(one.times for one in found), 1 + max((one.chain for one in found), default=0))
        if all_in_all.times > MAX_APPLIED:
            raise _too_many(pointer, MAX_APPLIED, Phrase("schemas that are applied to one value"))
        if all_in_all.chain > MAX_CHAIN:
            raise _too_many(pointer, MAX_CHAIN, _IN_A_CHAIN)
        known[pointer] = all_in_all
        return all_in_all


class _Applied(NamedTuple):
    """How many schemas are applied to one value, and how many of them follow from each other."""

    times: int
    chain: int


def _wrong(place: Place, reference: str, why: Message) -> JsonSchemaError:
    said = one_line(reference, _REF_LIMIT)
    return JsonSchemaError(place.pointer, Phrase("the $ref {said} {why}", said=said, why=why))


def _too_many(place: str, limit: int, what: Message) -> JsonSchemaError:
    return JsonSchemaError(place, Phrase("at most {limit} {what}", limit=limit, what=what))


_PREFIX = "#/$defs/"
_NAME = re.compile(r"[A-Za-z0-9_.-]++")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]++")


def with_definitions(root: dict[str, Any], references: References) -> dict[str, Any]:
    """The schema, its references named; the schema itself where they all are. Its parts are not copied."""
    if all(_is_named(schema) for schema in references.places.values()):
        return root
    writer = _Writer(references)
    written = writer.written(root)
    return {**written, "$defs": writer.all_definitions()}


def _is_named(schema: Any) -> bool:  # noqa: ANN401 - a schema may be true or false
    if not isinstance(schema, dict) or "$ref" not in schema:
        return True
    reference = schema["$ref"]
    return reference.startswith(_PREFIX) and _NAME.fullmatch(reference, len(_PREFIX)) is not None


class _Writer:
    def __init__(self, references: References) -> None:
        self._references = references
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._waiting: list[tuple[str, Any]] = []

    def all_definitions(self) -> dict[str, Any]:
        """What was referred to, and what that refers to."""
        definitions: dict[str, Any] = {}
        while self._waiting:
            name, schema = self._waiting.pop()
            definitions[name] = self.written(schema)
        return definitions

    def written(self, schema: Any) -> Any:  # noqa: ANN401 - a schema may be true or false
        """A schema with its references renamed, without the definitions in it."""
        if not isinstance(schema, dict):
            return schema
        copy = {key: value for key, value in schema.items() if key not in ("$defs", "definitions", "$anchor", "$id")}
        if "$ref" in schema:
            copy["$ref"] = _PREFIX + self._name(schema)
        for path, inner, _ in parts_of(copy):
            keyword, *rest = path
            if rest:
                held = copy[keyword]
                if held is schema[keyword]:
                    held = copy[keyword] = held.copy()
                held[rest[0]] = self.written(inner)
            else:
                copy[keyword] = self.written(inner)
        return copy

    def _name(self, schema: dict[str, Any]) -> str:
        pointer, target = self._references.target(schema)
        if pointer not in self._names:
            last = _NOT_IN_A_NAME.sub("_", pointer.rpartition("/")[2]).strip("_") or "Root"
            name = last if last not in self._taken else f"{last}_{len(self._names)}"
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._names[pointer] = name
            self._waiting.append((name, target))
        return self._names[pointer]
