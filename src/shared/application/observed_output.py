"""Events for texts that come from elsewhere: a parser that tells of every parse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from src.shared.domain.answer_type import SchemaType
from src.shared.domain.exceptions import AppException
from src.shared.domain.parse_events import parsed_event
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.output import OutputPort, ParsedText

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class ObservedOutput(Generic[T_co]):
    """An `OutputPort` that publishes one event for each text it reads or refuses.

    For texts from elsewhere: a file, a queue, a recording. Code that asks a model publishes its own event, which also
    knows the call; with an `ObservedOutput` it would count every text twice.

    Attributes:
        output: the parser.
        events: where its events go.
    """

    output: OutputPort[T_co]
    events: EventPort

    @property
    def label(self) -> str:
        """The parser's label."""
        return self.output.label

    @property
    def dto_type(self) -> type[T_co] | TypeAdapter[Any] | SchemaType[T_co]:
        """The parser's type."""
        return self.output.dto_type

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[T_co]:
        """Parse a raw text and tell of it; see `OutputPort.read`.

        Raises:
            AppException: what the parser raised, after the event was published.
        """
        try:
            parsed = self.output.read(raw, finished=finished)
        except AppException as error:
            self.events.publish(parsed_event(self.label, raw, error))
            raise
        self.events.publish(parsed_event(self.label, raw, parsed))
        return parsed
