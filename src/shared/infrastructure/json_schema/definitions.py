"""A schema as Pydantic writes one: every `$ref` names one of the `$defs` of the root.

A prompt's description, a provider's strict mode and a request all read that form.
"""

from __future__ import annotations

import re
from typing import Any

from src.shared.infrastructure.json_schema.keywords import parts_of
from src.shared.infrastructure.json_schema.references import References

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
