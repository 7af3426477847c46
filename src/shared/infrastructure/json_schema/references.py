"""A schema's references: each leads to a place in the schema itself. Nothing is fetched, from the network or a file.

A prompt's description, a provider's strict mode and a request all read a schema as Pydantic writes one: every `$ref`
names one of the `$defs` of the root. `with_definitions` makes it so.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from src.shared.domain.expression import expression
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import DEFINITIONS, ROOT, Schema, pointer_to, walk, with_parts
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError, SchemaDialect, too_large

MAX_PATTERNS = 1_000
"""Patterns, of which each may take a millisecond to compile."""
MAX_POINTERS = 5_000_000
"""Characters of the paths of all schemas in it."""
_REF_LIMIT = 120
_INDEX = expression(r"0|[1-9][0-9]{0,5}+")
"""An index of a JSON pointer (RFC 6901, section 4): one spelling each, so that no schema has several places."""
_ONLY_A_REF = frozenset({"$ref", "title", "description"})


class References:
    """The references of a checked schema. A schema is named by its place, a JSON pointer.

    Attributes:
        places: every schema in it that may be applied, the root first, by its place.
        dialect: its draft.
    """

    def __init__(self, root: Schema, dialect: SchemaDialect) -> None:
        """Follow all references once.

        Raises:
            JsonSchemaError: one leads elsewhere or nowhere, or there are too many patterns or too long paths.
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

    def _collect(self, place: str, schema: object) -> list[str]:
        """Note every schema in this one that is not noted yet; the places of those with a reference."""
        unresolved = []
        for part in walk(schema, place, known=self.places):
            self.places[part.pointer] = part.schema
            self._characters += len(part.pointer)
            if self._characters > MAX_POINTERS:
                raise too_large(ROOT, MAX_POINTERS, Phrase("characters of all paths in it"))
            if not isinstance(part.schema, dict):
                continue
            self.dialect.check(part.schema, part.pointer)
            self._patterns += ("pattern" in part.schema) + len(part.schema.get("patternProperties", ()))
            if self._patterns > MAX_PATTERNS:
                raise too_large(ROOT, MAX_PATTERNS, Phrase("patterns"))
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
            raise JsonSchemaError(place, Phrase("the $ref {said} leads elsewhere, and nothing is fetched", said=said))
        fragment = unquote(fragment)
        if fragment.startswith("/") or not fragment:
            target, schema = self._at(fragment)
        else:
            target = self._anchors.get(fragment, "")
            schema = self.places.get(target)
        if not isinstance(schema, (dict, bool)):
            raise JsonSchemaError(place, Phrase("the $ref {said} leads to no schema", said=said))
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


_NAME = expression(r"[A-Za-z0-9_.-]++")
_NOT_IN_A_NAME = expression(r"[^A-Za-z0-9_.-]++")
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
