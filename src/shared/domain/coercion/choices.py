"""What one place of a type may hold: the choices of its unions, without what only wraps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.coercion.lenient import Lenient
from src.shared.domain.type_shapes import FIELDS, LENIENT, READ_AS, CoreSchema, fields_of, is_required

EVERYTHING = Lenient(deep=True)


class Choice(NamedTuple):
    """One type that a value may have.

    Attributes:
        schema: its core schema: no union, nothing that only wraps another.
        leave: what may be coerced; None for nothing.
    """

    schema: CoreSchema
    leave: Lenient | None

    @property
    def inside(self) -> Lenient | None:
        """What may be coerced in its parts, where they do not say so themselves."""
        return EVERYTHING if self.leave and self.leave.deep else None

    @property
    def kind(self) -> str:
        """The kind of its schema, such as `float`."""
        return str(self.schema["type"])


_WRAPPERS = frozenset({"default", "function-after", "model-field", "typed-dict-field", "dataclass-field"})
NULL: Mapping[str, Any] = {"type": "none"}


_Seen: TypeAlias = set[tuple[int, Lenient | None]]


def choices_of(schema: CoreSchema, definitions: Mapping[str, CoreSchema], leave: Lenient | None) -> Iterator[Choice]:
    """All types of one place. What a validator of the program's own sees first is its own: a choice of that kind."""
    return _choices(schema, definitions, leave, set())


def _choices(
    schema: CoreSchema, definitions: Mapping[str, CoreSchema], leave: Lenient | None, seen: _Seen
) -> Iterator[Choice]:
    """Those that are not among what was `seen`: a type may be one of its own choices."""
    if (id(schema), leave) in seen:
        return
    seen.add((id(schema), leave))
    kind = schema["type"]
    mark = (schema.get("metadata") or {}).get(LENIENT)
    if mark is not None:
        deep = mark.deep or (leave is not None and leave.deep)
        yield from _choices(schema["steps"][0], definitions, replace(mark, deep=deep), seen)
    elif kind == "chain" and READ_AS in (schema.get("metadata") or {}):
        yield from _choices(schema["steps"][0], definitions, leave, seen)
    elif kind in _WRAPPERS or (kind == "model" and schema.get("root_model")):
        yield from _choices(schema["schema"], definitions, leave, seen)
    elif kind == "nullable":
        yield Choice(NULL, leave)
        yield from _choices(schema["schema"], definitions, leave, seen)
    elif kind == "union":
        for choice in schema["choices"]:
            yield from _choices(choice[0] if isinstance(choice, tuple) else choice, definitions, leave, seen)
    elif kind == "definition-ref":
        yield from _choices(definitions[schema["schema_ref"]], definitions, leave, seen)
    else:
        yield Choice(schema, leave)


_BY_NAME = ("populate_by_name", "validate_by_name")


def fields_with_keys(schema: CoreSchema) -> list[tuple[frozenset[str], CoreSchema]]:
    """The fields of an object with the keys that hold their whole values; none where its own validator comes first."""
    by_name = False
    while schema["type"] not in FIELDS:
        if schema["type"] not in ("model", "dataclass", "function-after"):
            return []
        config = schema.get("config", {})
        by_name = by_name or any(config.get(key) for key in _BY_NAME)
        schema = schema["schema"]
    return [(frozenset(_keys_of(name, field, by_name=by_name)), field) for name, field in fields_of(schema)]


def _keys_of(name: str, field: CoreSchema, *, by_name: bool) -> Iterator[str]:
    """The keys that hold a field's whole value: no paths into another value."""
    if by_name or "validation_alias" not in field:
        yield name
    yield from _plain_keys(field.get("validation_alias", ()))


def _plain_keys(alias: Any) -> Iterator[str]:  # noqa: ANN401 - a key, a path, or several paths
    """The keys among what Pydantic looks a value up by."""
    paths = [[alias]] if isinstance(alias, str) else alias if alias and isinstance(alias[0], list) else [alias]
    yield from (path[0] for path in paths if len(path) == 1)


def tag_of(choice: Choice, value: object) -> object:
    """What an object says it is, of a union whose members are told apart by a key; None where it says nothing."""
    discriminator = choice.schema["discriminator"]
    if callable(discriminator) or not isinstance(value, dict):
        return None
    return next((value[key] for key in _plain_keys(discriminator) if key in value), None)


class Keys(NamedTuple):
    """The keys of an object.

    Attributes:
        known: all of them; none where they are free or not known.
        required: those of each required field.
    """

    known: frozenset[str]
    required: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, choice: Choice) -> Keys:
        """Those of an object's schema."""
        fields = fields_with_keys(choice.schema) if choice.kind not in ("dict", "tagged-union") else []
        known = frozenset[str]().union(*(keys for keys, _ in fields))
        return cls(known, tuple(keys for keys, field in fields if is_required(field)))

    def fit(self, value: Mapping[str, Any]) -> bool:
        """Whether an object has all required fields and no unknown keys."""
        return self.known >= value.keys() and all(not keys.isdisjoint(value) for keys in self.required)


def is_one(choice: Choice, value: Mapping[str, Any]) -> bool:
    """Whether an object is plainly one of a type, and not what only holds one, or several.

    `{"items": [...]}` satisfies a type whose keys are free, and one all of whose fields have defaults.
    """
    if choice.kind == "tagged-union":
        return tag_of(choice, value) is not None
    known = Keys.of(choice).known
    if known:
        return not known.isdisjoint(value)
    return bool(value) and not any(isinstance(part, (dict, list)) for part in value.values())
