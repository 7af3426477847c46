"""The hooks and the DTO, applied to decoded data."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from src.shared.infrastructure.dto_keys import own_keys_of
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


class Fit(NamedTuple):
    """How well data suits a DTO: how many of its fields it knows, and whether it is valid."""

    known: int
    valid: bool


def fit(data: dict[str, Any], dto_type: type[BaseModel], normalizers: Sequence[Normalizer]) -> Fit:
    """How well the data suits the DTO, after the hooks; the data itself is left as it is."""
    try:
        data = normalized(copy.deepcopy(data), normalizers)
        valid = bool(dto_type.model_validate(data))
    except PydanticUserError:
        raise  # the DTO itself is wrong: that is for its author
    except Exception:  # noqa: BLE001 - hooks and validators are the caller's code: any exception means no
        valid = False
    return Fit(len(own_keys_of(dto_type).intersection(data)), valid)
