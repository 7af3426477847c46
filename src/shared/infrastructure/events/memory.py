"""Events in a list."""

from __future__ import annotations

from dataclasses import dataclass, field

from src.shared.domain.ports.events import OutputParsed


@dataclass
class MemoryEvents:
    """Keeps every event, in order: for tests and for commands that end. A service would grow without bound.

    Attributes:
        events: what was published.
    """

    events: list[OutputParsed] = field(default_factory=list)

    def publish(self, event: OutputParsed) -> None:
        """Keep one event."""
        self.events.append(event)
