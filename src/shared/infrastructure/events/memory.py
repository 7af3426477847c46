"""Events in a list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from src.shared.domain.ports.events import Event

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
