"""One event to several adapters; what one of them does is no business of the others, or of the caller."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from src.shared.domain.ports.events import Event, EventPort
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write


class FanOut:
    """Publishes to each adapter in turn, and never raises.

    The one place that isolates adapters, which is why a single one goes through it too: a full disk under the log or
    an exporter's bug must not cost an answer. An adapter that raises gets the next event all the same; its first
    failure is one WARNING `llm_event_adapter_failed`, later ones are silent.
    """

    def __init__(self, *adapters: EventPort) -> None:
        self._adapters = adapters
        self._reported: set[int] = set()

    def publish(self, event: Event) -> None:
        """Give every adapter the event."""
        for number, adapter in enumerate(self._adapters):
            try:
                adapter.publish(event)
            except Exception as error:  # noqa: BLE001 - whatever an adapter does, the answer is not lost
                if number in self._reported:
                    continue
                self._reported.add(number)
                line = {"adapter": type(adapter).__name__, "error_type": type(error).__name__}
                with suppress(Exception):  # the log, or the error's text, may be what is broken
                    line["error"] = excerpt(str(error), excerpt_limit())
                    write("warning", "llm_event_adapter_failed", line.copy)


E = TypeVar("E", bound=Event)


@dataclass
class MemoryEvents:
    """Keeps every event, in order: for tests and for commands that end. A service would grow without bound.

    Attributes:
        events: what was published.
    """

    events: list[Event] = field(default_factory=list)

    def publish(self, event: Event) -> None:
        """Keep one event."""
        self.events.append(event)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]
