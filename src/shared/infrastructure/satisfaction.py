"""The hooks and the DTO, applied to decoded data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic.errors import PydanticUserError

from src.shared.infrastructure.normalizers import Normalizer
from src.shared.infrastructure.state import Target


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


def satisfies(data: dict[str, Any], target: Target) -> bool:
    """Whether the data, after the hooks, is valid for the target's DTO."""
    if target.dto_type is None:
        return True
    try:
        target.dto_type.model_validate(normalized(data, target.normalizers))
    except PydanticUserError:
        raise  # the DTO itself is wrong: that is for its author
    except Exception:  # noqa: BLE001 - validators are the caller's code: any exception means no
        return False
    return True
