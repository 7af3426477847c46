"""How texts are read: with an event for each that comes from elsewhere, and a large one aside from the event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from src.shared.domain.answer_type import SchemaType
from src.shared.domain.exceptions import AppException
from src.shared.domain.options import Finished, known_end
from src.shared.domain.ports.events import EventPort, parsed_event
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

    def read(self, raw: str, *, finished: Finished = None) -> ParsedText[T_co]:
        """Parse a raw text and tell of it; see `OutputPort.read`.

        Raises:
            AppException: what the parser raised, after the event was published.
        """
        end = known_end(finished)
        try:
            parsed = self.output.read(raw, finished=end)
        except AppException as error:
            self.events.publish(parsed_event(self.label, raw, error))
            raise
        self.events.publish(parsed_event(self.label, raw, parsed))
        return parsed


T = TypeVar("T")

LARGE = 512
"""Characters from which a text is read in a thread: that costs 0.1 ms, and reading a damaged one may take 0.5 s."""
CLEAN = 16_384
"""Characters below which JSON is read at once all the same: it takes less than a millisecond."""


async def read_aside(text: str, read: Callable[[], T]) -> T:
    """What `read` makes of a text; of a large one in a thread, so that validators of a type may run there.

    Who stops waiting (because a budget's time is up, or a call is cancelled) goes on at once. The thread ends by the
    parser's own bounds, and nobody takes its result.
    """
    is_quick = len(text) < LARGE or (len(text) < CLEAN and _is_json(text))
    return read() if is_quick else await asyncio.to_thread(read)


def _is_json(text: str) -> bool:
    """Whether a text is JSON as it stands, which is read in microseconds; a damaged one may take half a second."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
