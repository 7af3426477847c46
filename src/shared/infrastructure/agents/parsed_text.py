"""What an `OutputPort` returns for a text."""

from __future__ import annotations

from typing import Any, TypeVar

from src.shared.domain.ports.output import ParsedText
from src.shared.infrastructure.parsing.decoded import DecodedJson

T = TypeVar("T")


def parsed_text(value: T, decoded: DecodedJson[Any]) -> ParsedText[T]:
    """A value and how its text was read."""
    stages = tuple(dict.fromkeys(note.stage for note in decoded.notes))
    return ParsedText(value, decoded.repairs, stages, decoded.data, decoded.coercions, decoded.grade)
