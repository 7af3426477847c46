"""What one place of a type may hold: the choices of its unions, without what only wraps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.coercion.numbers import NumberMeaning
from src.shared.domain.type_shapes import LENIENT, CoreSchema


class Leave(NamedTuple):
    """What may be coerced at one place; a `Lenient` says the same."""

    meaning: NumberMeaning = NumberMeaning.BY_BOUNDS
    absent: bool = False
    deep: bool = False


EVERYTHING = Leave(deep=True)


class Choice(NamedTuple):
    """One type that a value may have.

    Attributes:
        schema: its core schema: no union, nothing that only wraps another.
        leave: what may be coerced; None for nothing.
    """

    schema: CoreSchema
    leave: Leave | None

    @property
    def inside(self) -> Leave | None:
        """What may be coerced in its parts, where they do not say so themselves."""
        return EVERYTHING if self.leave and self.leave.deep else None

    @property
    def kind(self) -> str:
        """The kind of its schema, such as `float`."""
        return str(self.schema["type"])


_WRAPPERS = frozenset({"default", "function-after", "model-field", "typed-dict-field", "dataclass-field"})
NULL: Mapping[str, Any] = {"type": "none"}


_Seen: TypeAlias = set[tuple[int, Leave | None]]


def choices_of(schema: CoreSchema, definitions: Mapping[str, CoreSchema], leave: Leave | None) -> Iterator[Choice]:
    """All types of one place. What a validator of the program's own sees first is its own: a choice of that kind."""
    return _choices(schema, definitions, leave, set())


def _choices(
    schema: CoreSchema, definitions: Mapping[str, CoreSchema], leave: Leave | None, seen: _Seen
) -> Iterator[Choice]:
    """Those that are not among what was `seen`: a type may be one of its own choices."""
    if (id(schema), leave) in seen:
        return
    seen.add((id(schema), leave))
    kind = schema["type"]
    mark = (schema.get("metadata") or {}).get(LENIENT)
    if mark is not None:
        deep = mark.deep or (leave is not None and leave.deep)
        yield from _choices(schema["steps"][0], definitions, Leave(mark.meaning, mark.absent, deep), seen)
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
