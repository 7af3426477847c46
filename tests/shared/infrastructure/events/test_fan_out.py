"""Several adapters: every one gets the event, and none can cost an answer."""

from dataclasses import dataclass, field

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.ports.events import Event, OutputParsed
from src.shared.infrastructure.events.fan_out import FanOut, MemoryEvents
from src.shared.infrastructure.events.library_log import EXCERPT_VARIABLE
from src.shared.infrastructure.events.log import LogEvents
from tests.shared.event_samples import ASKED, CLEAN, REPAIRED


@dataclass
class Broken:
    """An adapter that raises each time it is told of something."""

    error: BaseException
    told: list[Event] = field(default_factory=list)

    def publish(self, event: Event) -> None:
        self.told.append(event)
        raise self.error


LINE = {"event": "llm_event_adapter_failed", "log_level": "warning", "adapter": "Broken"}


@pytest.mark.parametrize(("excerpt", "errors"), [(None, ["full", "bad"]), ("0", ["", ""])])
def test_every_adapter_gets_every_event_whoever_raises_which_is_told_once_each(
    monkeypatch: pytest.MonkeyPatch, excerpt: str | None, errors: list[str]
) -> None:
    """What the error says keeps to the bound on excerpts."""
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)
    if excerpt is not None:
        monkeypatch.setenv(EXCERPT_VARIABLE, excerpt)
    before, broken, other, after = MemoryEvents(), Broken(OSError("full")), Broken(ValueError("bad")), MemoryEvents()
    events = FanOut(before, broken, other, after)
    published: list[Event] = [CLEAN, REPAIRED, ASKED]
    with capture_logs() as logs:
        for event in published:
            events.publish(event)
    assert [before.events, broken.told, other.told, after.events] == [published] * 4
    assert before.of(OutputParsed) == [CLEAN, REPAIRED]
    assert logs == [
        {**LINE, "error_type": "OSError", "error": errors[0]},
        {**LINE, "error_type": "ValueError", "error": errors[1]},
    ]


def test_log_that_is_broken_itself_costs_nothing() -> None:
    def fail(*_: object) -> EventDict:
        raise OSError

    kept, before = MemoryEvents(), structlog.get_config()
    structlog.configure(processors=[fail])
    try:
        FanOut(LogEvents(), kept).publish(CLEAN)
    finally:
        structlog.configure(**before)
    assert kept.events == [CLEAN]


def test_interruption_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        FanOut(Broken(KeyboardInterrupt())).publish(CLEAN)
