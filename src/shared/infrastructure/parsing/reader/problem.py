"""Why a value cannot be read, and where."""

from __future__ import annotations

from typing import NamedTuple

from src.shared.domain.parse_reasons import TRUNCATED, Reason


class Problem(NamedTuple):
    """Why the reader gave up, and where; `other` is the second place where two readings compete."""

    offset: int
    reason: Reason
    other: int | None = None

    @property
    def truncated(self) -> bool:
        """Whether the text simply ends too early."""
        return self.reason is TRUNCATED


class UnreadableError(Exception):
    """The text cannot be read as JSON without a guess."""

    def __init__(self, offset: int, reason: Reason, other: int | None = None) -> None:
        super().__init__(reason.en)
        self.problem = Problem(offset, reason, other)
