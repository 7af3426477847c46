"""Several adapters: every one gets the event, and none can cost an answer."""

from dataclasses import dataclass, field

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.ports.events import Event
from src.shared.infrastructure.events.fan_out import FanOut, MemoryEvents
from src.shared.infrastructure.events.library_log import EXCERPT_VARIABLE
from src.shared.infrastructure.events.log import LogEvents
from tests.shared.event_samples import CLEAN, REPAIRED


@dataclass
class Broken:
    """An adapter that raises each time it is told of something."""

    error: BaseException
    told: list[Event] = field(default_factory=list)

    def publish(self, event: Event) -> None:
        self.told.append(event)
        raise self.error


def test_every_adapter_gets_every_event_in_order() -> None:
    first, second = MemoryEvents(), MemoryEvents()
    both = FanOut(first, second)
    both.publish(CLEAN)
    both.publish(REPAIRED)
    assert (first.events, second.events) == ([CLEAN, REPAIRED], [CLEAN, REPAIRED])


def test_adapter_that_raises_keeps_no_event_from_the_others() -> None:
    before, after = MemoryEvents(), MemoryEvents()
    with capture_logs():
        FanOut(before, Broken(OSError("full")), after).publish(CLEAN)
    assert (before.events, after.events) == ([CLEAN], [CLEAN])


def test_adapter_that_raised_gets_the_next_event_all_the_same() -> None:
    broken = Broken(OSError("full"))
    with capture_logs():
        events = FanOut(broken)
        events.publish(CLEAN)
        events.publish(REPAIRED)
    assert broken.told == [CLEAN, REPAIRED]


def logs_of_failing_twice(*adapters: Broken) -> list[EventDict]:
    with capture_logs() as logs:
        events = FanOut(*adapters)
        events.publish(CLEAN)
        events.publish(CLEAN)
    return logs


def test_failure_is_logged_once_for_each_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)
    line = {"event": "llm_event_adapter_failed", "log_level": "warning", "adapter": "Broken"}
    assert logs_of_failing_twice(Broken(OSError("full")), Broken(ValueError("bad"))) == [
        {**line, "error_type": "OSError", "error": "full"},
        {**line, "error_type": "ValueError", "error": "bad"},
    ]


def test_error_of_an_adapter_stays_out_of_the_log_where_excerpts_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXCERPT_VARIABLE, "0")
    assert [log["error"] for log in logs_of_failing_twice(Broken(OSError("账户")))] == [""]


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
