"""JSON paths such as `$.rows[0].title`: their steps, those of all values, of the whole ones, and the type at one."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter

from src.shared.domain.answer_type import AnswerType, SchemaType, name_of
from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import expression, repeated
from src.shared.infrastructure.parsing.places import NOTHING, member_of

_STRING = r'"[^"\\\x00-\x1f]*+' + repeated(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+') + '"'
_STEP = expression(rf"\.(?P<name>[^\s.\[\]\"]++)|\[(?P<index>\d++)\]|\[(?P<quoted>{_STRING})\]")


def steps_of(path: str) -> tuple[str | int, ...]:
    """The keys and indexes of a path.

    Raises:
        ValueError: it is no path.
    """
    steps: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path) and (step := _STEP.match(path, at)):
        steps.append(step["name"] or (int(step["index"]) if step["index"] else json.loads(step["quoted"])))
        at = step.end()
    if not path.startswith("$") or at < len(path):
        message = f"not a JSON path: {path!r}; one looks like $.rows or $.report.rows[0]"
        raise ValueError(message)
    return tuple(steps)


def value_at(data: Any, path: str) -> Any:  # noqa: ANN401 - decoded JSON
    """The value at a path.

    Raises:
        LookupError: the data has none there.
        ValueError: it is no path.
    """
    for step in steps_of(path):
        is_there = isinstance(data, dict) if isinstance(step, str) else isinstance(data, list)
        if not is_there:
            raise KeyError(path)
        data = data[step]
    return data


Place: TypeAlias = Any
"""Where a value stands: the place of the container around it, and the key or index in it; None for the outermost."""


def path_of(place: Place) -> str:
    """The path of a place."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return json_path(tuple(reversed(steps)))


def places_in(data: object) -> Iterator[Place]:
    """The places of a value and of all values in it."""
    return (place for place, _, _ in _pairs(NOTHING, data))


def changed_places(before: object, data: object, complete: Container[str]) -> Iterator[Place]:
    """The places in the data of what was not complete before, or is another value than it was."""
    for place, old, value in _pairs(before, data):
        is_same = isinstance(value, dict | list) or (type(old) is type(value) and old == value)
        if not is_same or path_of(place) not in complete:
            yield place


def _pairs(before: object, data: object) -> Iterator[tuple[Place, object, object]]:
    """Each value of the data, with its place and what stood there before."""
    left: list[tuple[Place, object, object]] = [(None, before, data)]
    while left:
        place, old, value = left.pop()
        yield place, old, value
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        left += [((place, step), member_of(old, step), member) for step, member in reversed([*members])]


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
