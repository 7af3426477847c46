"""A note says what a stage did with which part of the raw text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Part of the raw text: from `start` up to, not including, `end`.

    .. versionadded:: 0.1.0
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Note:
    """What one stage did with one part of the text.

    .. versionadded:: 0.1.0
    """

    stage: str
    action: str
    span: Span
