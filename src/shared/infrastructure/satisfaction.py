"""The hooks and the DTO, applied to decoded data."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from src.shared.infrastructure.normalizers import Normalizer


class NormalizerError(Exception):
    """A hook raised, or returned something that is not an object."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


def normalized(data: dict[str, Any], normalizers: Sequence[Normalizer]) -> dict[str, Any]:
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
        if not isinstance(data, dict):
            raise NormalizerError(name, f"returned {type(data).__name__}, not dict")
    return data


def known_fields(data: dict[str, Any], fields: frozenset[str], normalizers: Sequence[Normalizer]) -> int:
    """How many of these fields the data has as it stands, or after the hooks; the data itself is left as it is."""
    known = len(fields.intersection(data))
    if not normalizers:
        return known
    try:
        return max(known, len(fields.intersection(normalized(copy.deepcopy(data), normalizers))))
    except NormalizerError:
        return known


def fit_problem(data: dict[str, Any], dto_type: type[BaseModel], normalizers: Sequence[Normalizer]) -> Exception | None:
    """Why the data does not satisfy the type after the hooks, or None; the data itself is left as it is."""
    try:
        dto_type.model_validate(normalized(copy.deepcopy(data), normalizers))
    except PydanticUserError:
        raise  # the DTO itself is wrong: that is for its author
    except Exception as error:  # noqa: BLE001 - hooks and validators are the caller's code
        return error
    return None
