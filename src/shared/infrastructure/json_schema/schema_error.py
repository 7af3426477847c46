"""The error of a schema that cannot be a type."""

from __future__ import annotations

from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

ROOT = "#"
"""The place of the schema itself."""
PLACE_LIMIT = 200
"""Characters of a place in the schema that an error shows."""


class JsonSchemaError(ValueError):
    """A JSON Schema cannot be taken as a type.

    Attributes:
        place: where in the schema, as a JSON pointer such as `#/properties/name`; `#` is the schema itself.
        reason: why.

    .. versionadded:: 0.1.0
    """

    def __init__(self, place: str, reason: Message) -> None:
        super().__init__(place, reason)
        self.place = one_line(place, PLACE_LIMIT)
        self.reason = reason

    def __str__(self) -> str:
        """The place, and the reason in the language that is asked for."""
        return f"{self.place}: {self.reason.text()}"


def too_complex() -> JsonSchemaError:
    """The error of a schema that is small enough, but takes too long to look at."""
    reason = Message(
        "Schema 过于复杂：其中的分支、引用组合起来过多，请简化",
        "too complex: its alternatives and references are too many together; simplify it",
    )
    return JsonSchemaError(ROOT, reason)
