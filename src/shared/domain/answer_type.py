"""What an answer may be typed as: anything Pydantic reads, a class or a ready adapter."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError

T = TypeVar("T")

AnswerType: TypeAlias = type[T] | TypeAdapter[T]
"""A model, a dataclass, a `TypedDict`, `list[Model]` and the like, or the `TypeAdapter` of one.

A type checker knows `list[Model]` as a type, but no union: give it `TypeAdapter(A | B)`.
"""

_MODULES = re.compile(r"(?:\w+\.|<locals>\.)+(?=\w)")


def adapter_of(answer_type: AnswerType[T]) -> TypeAdapter[T]:
    """The adapter of a type, ready to validate.

    Raises:
        TypeError: it is no type at all, or none that Pydantic can read.
        pydantic.errors.PydanticUserError: the type is not finished, or declared in a way Pydantic refuses.
    """
    if isinstance(answer_type, str):
        message = f"a type is needed, not its name {answer_type!r}"  # type: ignore[unreachable]  # callers do it all the same
        raise TypeError(message)
    try:
        adapter = answer_type if isinstance(answer_type, TypeAdapter) else TypeAdapter(answer_type)
        adapter.rebuild(raise_errors=True)
    except PydanticSchemaGenerationError as error:
        message = f"{name_of(answer_type)} is not a type that Pydantic reads: {error.message.splitlines()[0]}"
        raise TypeError(message) from error
    except PydanticUndefinedAnnotation as error:
        message = f"{name_of(answer_type)} is not finished: {error.message}"
        raise PydanticUserError(message, code="class-not-fully-defined") from error
    return adapter


def name_of(answer_type: AnswerType[Any]) -> str:
    """The type's name without modules, as in `list[Order]`, for messages and logs."""
    if isinstance(answer_type, type) and not hasattr(answer_type, "__args__"):
        return answer_type.__name__
    if get_origin(answer_type) is Annotated:
        return name_of(get_args(answer_type)[0])
    name = _MODULES.sub("", repr(answer_type))
    return name.removeprefix("TypeAdapter(").removesuffix(")") if isinstance(answer_type, TypeAdapter) else name
