"""Applies the hooks and the type to decoded data."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from src.shared.domain.normalizer import Normalizer
from src.shared.domain.type_shapes import Root, accepts_root
from src.shared.infrastructure.parsing.target_type import TargetType

_PYTHON_TYPES = {"object": "dict", "array": "list"}


class NormalizerError(Exception):
    """A hook raised, or returned something else than the type is read from."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


def normalized(data: Any, normalizers: Sequence[Normalizer], roots: frozenset[Root]) -> Any:  # noqa: ANN401 - decoded JSON
    """The data after every hook, in order.

    Raises:
        NormalizerError: from the hook's own exception.
    """
    for normalizer in normalizers:
        name = getattr(normalizer, "__name__", type(normalizer).__name__)
        try:
            data = normalizer(data)
        except Exception as error:  # a hook is the caller's code: whatever it raises becomes the parser's error
            raise NormalizerError(name, f"{type(error).__name__}: {error}") from error
        if not accepts_root(roots, data):
            wanted = " or ".join(_PYTHON_TYPES[root] for root in sorted(roots, reverse=True))
            raise NormalizerError(name, f"returned {type(data).__name__}, not {wanted}")
    return data


def known_keys(data: Any, target: TargetType[Any], normalizers: Sequence[Normalizer]) -> frozenset[str]:  # noqa: ANN401 - decoded JSON
    """The type's own keys that the data has, before or after the hooks, or in marks; the data itself is not changed.

    What the hooks put into any object, such as an empty text for a missing one, says nothing about this one.
    """
    known = target.known_keys(data)
    if not known and normalizers:
        known = _after_hooks(data, target, normalizers) - _after_hooks({}, target, normalizers)
    return known or target.marked_keys(data)


def _after_hooks(data: Any, target: TargetType[Any], normalizers: Sequence[Normalizer]) -> frozenset[str]:  # noqa: ANN401 - decoded JSON
    try:
        return target.known_keys(normalized(copy.deepcopy(data), normalizers, target.roots))
    except (NormalizerError, RecursionError):  # what is nested too deep cannot be copied
        return frozenset()


def problem_of(data: Any, target: TargetType[Any], normalizers: Sequence[Normalizer]) -> ValidationError | None:  # noqa: ANN401 - decoded JSON
    """Why the data does not satisfy the type after the hooks; the data itself is left as it is.

    Raises:
        ValidatorCrashError: the type's own code failed.
        pydantic.errors.PydanticUserError: the type itself is wrong.
    """
    try:
        data = normalized(copy.deepcopy(data), normalizers, target.roots)
        target.read(data, hooked=bool(normalizers))
    except ValidationError as error:
        return error
    except (NormalizerError, RecursionError):
        return None
    return None
