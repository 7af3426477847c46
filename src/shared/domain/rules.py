"""What may be done with an answer after it is read: normalizers before validation, rules after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from src.shared.domain.language import Message

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """An answer has the right form and contradicts itself, or the part its author was given.

    Attributes:
        rule: the rule's name, such as `buy_has_position`.
        field: the field that is wrong, as a path with dots.
        message: what contradicts what, for a person and for a model.

    .. versionadded:: 0.1.0
    """

    rule: str
    field: str
    message: Message

    @property
    def loc(self) -> tuple[str, ...]:
        """The field as an error's location."""
        return tuple(self.field.split("."))


Rule: TypeAlias = Callable[[T], RuleViolation | None]
"""Says what an answer breaks; None where it keeps the rule."""


Normalizer: TypeAlias = Callable[[Any], Any]
"""Takes the decoded data, returns what to go on with: a dict, or a list where the type is read from an array."""
