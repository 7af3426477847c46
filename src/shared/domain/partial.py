"""Less than all of an answer: what satisfies the type, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from src.shared.domain.exceptions import LLMJsonParseError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class PartProblem:
    """A part of an answer that is left out.

    Attributes:
        path: its JSON path in the whole answer, such as `$[3]` or `$.items[3]`.
        place: where it stands in the raw text, `{line, column, offset}`; None where it has no place.
        text: the part as the model wrote it; empty for one that never came.
        error: why it is left out, with its own `details` and `feedback()`; `details["truncated"]` if it was cut off.

    .. versionadded:: 0.1.0
    """

    path: str
    place: Mapping[str, int] | None
    text: str
    error: LLMJsonParseError


@dataclass(frozen=True, slots=True)
class Partial(Generic[T_co]):
    """An answer of which some parts may be left out; it is no `T_co`, so that nobody takes it for a whole one.

    Attributes:
        value: the typed object, without the parts that are left out.
        problems: those parts, in the order of the answer; empty where the answer is whole.

    .. versionadded:: 0.1.0
    """

    value: T_co
    problems: tuple[PartProblem, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.problems
