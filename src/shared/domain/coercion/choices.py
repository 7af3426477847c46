"""What one place of a type may hold: the choices of its unions, without what only wraps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

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


def choices_of(schema: CoreSchema, definitions: Mapping[str, CoreSchema], leave: Leave | None) -> Iterator[Choice]:
    """All types of one place. What a validator of the program's own sees first is its own: a choice of that kind."""
    kind = schema["type"]
    mark = (schema.get("metadata") or {}).get(LENIENT)
    if mark is not None:
        deep = mark.deep or (leave is not None and leave.deep)
        yield from choices_of(schema["steps"][0], definitions, Leave(mark.meaning, mark.absent, deep))
    elif kind in _WRAPPERS or (kind == "model" and schema.get("root_model")):
        yield from choices_of(schema["schema"], definitions, leave)
    elif kind == "nullable":
        yield Choice(NULL, leave)
        yield from choices_of(schema["schema"], definitions, leave)
    elif kind == "union":
        for choice in schema["choices"]:
            yield from choices_of(choice[0] if isinstance(choice, tuple) else choice, definitions, leave)
    elif kind == "definition-ref":
        yield from choices_of(definitions[schema["schema_ref"]], definitions, leave)
    else:
        yield Choice(schema, leave)
