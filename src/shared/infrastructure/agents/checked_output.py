"""An agent's output contract with a domain rule behind it: an answer that breaks the rule is asked about again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from src.shared.domain.ports.output import OutputPort, ParsedText

T = TypeVar("T")


@dataclass(frozen=True)
class CheckedOutput(Generic[T]):
    """Reads as the agent's parser does, then applies a rule of the domain.

    Attributes:
        output: the agent's output contract.
        rule: raises `RuleViolationError` for an answer that cannot stand.
    """

    output: OutputPort[T]
    rule: Callable[[T], None]

    @property
    def label(self) -> str:
        """The agent's title."""
        return self.output.label

    @property
    def dto_type(self) -> type[T] | TypeAdapter[Any]:
        """The type of the result."""
        return self.output.dto_type

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[T]:
        """Parse a raw text and check the result; see `OutputPort.read`.

        Raises:
            RuleViolationError: it can be read and breaks the rule.
            AppException: it cannot be read; the parser's error.
        """
        parsed = self.output.read(raw, finished=finished)
        self.rule(parsed.value)
        return parsed
