"""Finds the type of a list's elements inside a type, by the JSON path of the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter

from src.shared.domain.answer_type import AnswerType, SchemaType, name_of
from src.shared.infrastructure.parsing.stream.paths import steps_of

_LISTS = (list, tuple, set, frozenset)
_Type: TypeAlias = Any


def item_adapter(dto_type: AnswerType[Any], path: str) -> TypeAdapter[Any]:
    """What validates an element of the list at a path of the type.

    Raises:
        TypeError: there is no such list in the type.
        ValueError: it is no path.
    """
    kinds = [dto_type._type if isinstance(dto_type, TypeAdapter) else dto_type]  # noqa: SLF001 - it has no other name
    if not isinstance(dto_type, SchemaType):
        for step in [*steps_of(path), 0]:
            seen = set[int]()
            kinds = list({id(inner): inner for kind in kinds for inner in _inner(kind, step, seen)}.values())
        if kinds:
            union: Any = Union[tuple(kinds)]  # noqa: UP007 - made of a list
            return TypeAdapter(union)
    message = f"{name_of(dto_type)} has no list whose elements have a type at {path}"
    raise TypeError(message)


def _inner(kind: _Type, step: str | int, seen: set[int]) -> Iterator[_Type]:
    """The types that a member of this type may have; none where it was `seen`: a type may be one of its own choices."""
    if id(kind) in seen:
        return
    seen.add(id(kind))
    origin: Any = get_origin(kind)
    arguments = get_args(kind)
    if origin is Annotated:
        yield from _inner(arguments[0], step, seen)
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _inner(argument, step, seen)
    elif origin and isinstance(origin, type) and issubclass(origin, _LISTS):
        yield from arguments[:1] if isinstance(step, int) else ()
    elif origin and isinstance(origin, type) and issubclass(origin, Mapping):
        yield from arguments[1:] if isinstance(step, str) else ()
    elif isinstance(kind, type):
        yield from _inner_of_class(kind, step, seen)


def _inner_of_class(kind: _Type, step: str | int, seen: set[int]) -> Iterator[_Type]:
    if issubclass(kind, BaseModel) and kind.__pydantic_root_model__:  # importing RootModel itself takes long
        yield from _inner(kind.model_fields["root"].annotation, step, seen)
    elif isinstance(step, str) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            if step in (name, field.alias, field.validation_alias):
                yield field.annotation
    elif isinstance(step, str):
        yield from (hint for name, hint in get_type_hints(kind).items() if name == step)
