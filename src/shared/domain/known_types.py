"""What is worked out of a type, kept for the next call that names the type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter

from src.shared.domain.answer_type import AnswerType

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

    def known(dto_type: AnswerType[Any]) -> R:
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

    return known


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
