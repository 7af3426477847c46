"""What an answer may be typed as: anything Pydantic reads, a class, a ready adapter or a JSON Schema."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from types import EllipsisType, ModuleType, NoneType
from typing import Annotated, Any, Generic, TypeAlias, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, GetCoreSchemaHandler, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema

from src.shared.domain.expression import expression
from src.shared.domain.type_shapes import roots_of

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class SchemaType(ABC, Generic[T_co]):
    """A type that is a value and no class: the base of `JsonSchema`. Pydantic reads it as it reads a class.

    Attributes:
        name: the type's name, for messages, logs and requests.

    .. versionadded:: 0.1.0
    """

    name: str

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the type, as it goes to a model: every `$ref` names one of its `$defs`."""

    @abstractmethod
    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How Pydantic validates it; its metadata tell the parser what JSON it is read from (`type_shapes.SHAPES`)."""


AnswerType: TypeAlias = type[T] | TypeAdapter[T] | SchemaType[T]
"""A model, a dataclass, a `TypedDict`, `list[Model]` and the like, the `TypeAdapter` of one, or a `JsonSchema`.

A union and `Annotated[…]` are types, too, but no `type[T]` for a type checker: whatever returns what it is given a type
of has an overload that takes a `TypeForm[T]`. mypy knows one only where a parameter is nothing else.
"""

SCHEMA_NAME_LIMIT = 64
_NOT_IN_A_NAME = expression(r"[^A-Za-z0-9_-]++")
_PLAIN = (int, float, str, EllipsisType, NoneType)
_OF_TYPES = frozenset({"types", "typing", "typing_extensions"})
"""Where the classes of types stand that are no classes: `list[int]`, `A | B`, type variables."""
_MODULES = expression(r"(?>(?:\w++\.|<locals>\.)+)(?=\w)")


def adapter_of(answer_type: AnswerType[T]) -> TypeAdapter[T]:
    """The adapter of a type, ready to validate.

    Raises:
        TypeError: it is no type at all, or none that Pydantic can read, or its JSON is neither an object nor an array.
        pydantic.errors.PydanticUserError: the type is not finished, or declared in a way Pydantic refuses.
    """
    given: object = answer_type
    if isinstance(given, dict):  # Pydantic would take it for a schema of its own
        message = "a dict is not a type; for a JSON Schema pass JsonSchema(schema)"
        raise TypeError(message)
    is_code = inspect.isroutine(given) or isinstance(given, (partial, ModuleType))  # which Pydantic would call, or
    if isinstance(given, str) or given is BaseModel or is_code:  # stumble over; a name; what has no fields of its own
        raise _no_type(answer_type)
    try:
        adapter = given if isinstance(given, TypeAdapter) else TypeAdapter(cast("Any", given))
        adapter.rebuild(raise_errors=True)
    except PydanticSchemaGenerationError as error:
        raise _no_type(answer_type) from error
    except PydanticUndefinedAnnotation as error:
        message = f"{name_of(answer_type)} is not finished: {error.message}"
        raise PydanticUserError(message, code="class-not-fully-defined") from error
    if not roots_of(adapter.core_schema):
        if adapter.core_schema["type"] == "call":
            raise _no_type(answer_type)
        message = (
            f"the JSON of {name_of(answer_type)} is neither an object nor an array; pass a model, a dataclass, "
            "a TypedDict, list[Model], dict[str, Model], a union of them, or a TypeAdapter of one; with scalar=True "
            "also an enum, a Literal, int, float, Decimal, bool, date, datetime, or a union of these"
        )
        raise TypeError(message)
    return adapter


def _no_type(answer_type: object) -> TypeError:
    return TypeError(f"{name_of(cast('Any', answer_type))} is not a type that Pydantic reads")


def name_of(answer_type: AnswerType[Any]) -> str:
    """The type's name without modules, as in `list[Order]`, for messages and logs."""
    if isinstance(answer_type, SchemaType):
        return answer_type.name
    if isinstance(answer_type, type) and not hasattr(answer_type, "__args__"):
        return answer_type.__name__
    if isinstance(answer_type, TypeAdapter):
        return name_of(cast("Any", answer_type._type))  # noqa: SLF001 - it has no other name
    if get_origin(answer_type) is Annotated:
        return name_of(get_args(answer_type)[0])
    if type(answer_type).__module__ in _OF_TYPES or isinstance(answer_type, _PLAIN):
        return _MODULES.sub("", repr(answer_type))
    return _name_of_no_type(answer_type)


def _name_of_no_type(given: object) -> str:
    """What stands where a type should, without its `repr`, which may show data, an address or a path."""
    if isinstance(given, ModuleType):
        return f"the module {given.__name__}"
    if isinstance(given, partial):
        return f"a partial of {_name_of_no_type(given.func)}"
    if inspect.isroutine(given):
        return f"the function {given.__qualname__}"
    return f"an object of {type(given).__name__}"


def json_schema_of(
    answer_type: AnswerType[Any], generator: type[GenerateJsonSchema] = GenerateJsonSchema
) -> dict[str, Any]:
    """The JSON Schema of a type, its aliases as keys, as a generator of Pydantic writes it.

    Raises:
        TypeError: as for `adapter_of`.
        pydantic.errors.PydanticUserError: it has none.
    """
    given: Any = answer_type
    while isinstance(given, TypeAdapter) or get_origin(given) is Annotated:  # a mark around a JSON Schema says no more
        given = given._type if isinstance(given, TypeAdapter) else get_args(given)[0]  # noqa: SLF001 - it has no other name
    if isinstance(given, SchemaType):
        return given.json_schema()
    return adapter_of(answer_type).json_schema(by_alias=True, schema_generator=generator)


def schema_name(answer_type: AnswerType[Any]) -> str:
    """The name in the letters that providers take for a schema: letters, digits, `_` and `-`, at most 64."""
    return _NOT_IN_A_NAME.sub("_", name_of(answer_type)).strip("_")[:SCHEMA_NAME_LIMIT]


R = TypeVar("R")

KNOWN_TYPES = 256
"""Types of which something is kept, in each use; the one not named for the longest time is forgotten first.

A class that is kept is not collected as garbage until it is forgotten.
"""


def per_type(work_out: Callable[[AnswerType[Any]], R]) -> Callable[[AnswerType[Any]], R]:
    """Keep what a function of a type returns; what it raises is not kept.

    A model, or a `TypeAdapter`, that was rebuilt since is looked at again. A type that Python cannot hash is known
    again by being the same object. May be called from several threads; two that ask at once may both work it out.
    """

    @lru_cache(maxsize=KNOWN_TYPES)
    def kept(given: Any, _spelling: str, *_built: object) -> R:  # noqa: ANN401 - any type
        dto_type: Any = given.dto_type if isinstance(given, _SameObject) else given
        return work_out(dto_type)

    def cached(dto_type: AnswerType[Any]) -> R:
        given: Any = dto_type
        if isinstance(given, type):
            return kept(given, "", getattr(given, "__pydantic_validator__", None))
        if isinstance(given, TypeAdapter):
            return kept(given, "", given.validator)
        try:
            hash(given)
        except TypeError:
            return kept(_SameObject(given), "", *_validators(given))
        return kept(given, repr(given), *_validators(given))  # `A | B` equals `B | A`, and is read in another order

    return cached


class _SameObject:
    """Stands for a type without a hash, and keeps it, so that no other has its identity."""

    __slots__ = ("dto_type",)

    def __init__(self, dto_type: object) -> None:
        self.dto_type = dto_type

    def __hash__(self) -> int:
        return id(self.dto_type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameObject) and self.dto_type is other.dto_type


def _validators(alias: object) -> Iterator[object]:
    """The validators of the models in a type such as `list[Model]`: a model that is rebuilt gets another."""
    for argument in get_args(alias):
        yield getattr(argument, "__pydantic_validator__", None)
        yield from _validators(argument)
