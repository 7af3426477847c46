"""The thread that writes: nothing waits for it, nothing fails with it, and what is lost is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from src.modules.monitoring.application import RecordOutcomes
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.domain.outcome import TEXT_LIMIT, Batch, Outcome
from src.modules.monitoring.infrastructure import writers
from src.modules.monitoring.infrastructure.writers import BATCH, BackgroundWriter
from src.shared.domain.language import Message
from src.shared.domain.ports.events import CallStarted
from tests.modules.monitoring.stored import asked, clean, refused
from tests.modules.monitoring.waiting import until
from tests.processes import LIMIT

AWAY = StoreUnavailableError("s", Message("离开", "it is away"))


class Sink:
    """Keeps batches; fails as often as it is told to, and waits where it is told to."""

    def __init__(self, failures: int = 0, gate: threading.Event | None = None) -> None:
        self.failures, self.gate, self.entered = failures, gate, threading.Event()
        self.batches: list[Batch] = []
        self.dropped: list[int] = []
        self.closed = 0

    def write(self, batch: Batch, dropped: int) -> None:
        self.entered.set()
        if self.gate:
            self.gate.wait(60)
        if self.failures:
            self.failures -= 1
            raise AWAY
        self.batches.append(batch)
        self.dropped.append(dropped)

    def close(self) -> None:
        self.closed += 1

    @property
    def outcomes(self) -> list[Outcome]:
        return [one for batch in self.batches for one in batch.new]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries again at once."""
    monkeypatch.setattr(writers, "FIRST_WAIT", 0.001)


def writing(sink: Sink, **options: float) -> tuple[BackgroundWriter, RecordOutcomes]:
    writer = BackgroundWriter(lambda: sink, interval=0.001, **options)  # type: ignore[arg-type]
    return writer, RecordOutcomes(writer)


def publish(events: RecordOutcomes, count: int) -> None:
    for _ in range(count):
        events.publish(clean())


def test_close_writes_what_is_left() -> None:
    sink = Sink()
    writer, events = writing(sink)
    publish(events, BATCH * 2 + 1)
    writer.close()
    assert (len(sink.outcomes), writer.written, writer.waiting, writer.dropped) == (BATCH * 2 + 1, BATCH * 2 + 1, 0, 0)
    assert max(len(batch.new) for batch in sink.batches) <= BATCH
    assert sink.closed == 1


def test_queue_of_several_batches_is_written_without_waiting_for_more() -> None:
    gate = threading.Event()
    sink = Sink(gate=gate)
    writer = BackgroundWriter(lambda: sink, interval=60)
    events = RecordOutcomes(writer)
    publish(events, BATCH)
    sink.entered.wait(60)
    publish(events, BATCH * 2)
    gate.set()
    until(lambda: writer.written == BATCH * 3)
    assert [len(batch.new) for batch in sink.batches] == [BATCH] * 3
    writer.close()


def test_end_without_a_store_that_was_ever_opened_is_bounded() -> None:
    def open_sink() -> Sink:
        raise AWAY

    writer = BackgroundWriter(open_sink)
    publish(RecordOutcomes(writer), 1)
    writer.close(seconds=0.3)
    until(lambda: writer.dropped == 1)
    assert writer.written == 0


def test_notes_are_written_without_a_close() -> None:
    sink = Sink()
    writer, events = writing(sink)
    publish(events, 3)
    until(lambda: writer.written == 3)
    assert len(sink.outcomes) == 3
    writer.close()


def test_events_of_other_kinds_are_not_noted() -> None:
    writer, events = writing(Sink())
    events.publish(CallStarted())
    writer.close()
    assert writer.written == 0


def test_repairs_are_noted() -> None:
    sink = Sink()
    writer, events = writing(sink)
    for event in (refused(), asked()):
        events.publish(event)
    writer.close()
    assert [one.asked for one in sink.outcomes] == [True]


@pytest.mark.parametrize(
    ("with_text", "text", "kept"),
    [(True, "a" * (TEXT_LIMIT + 1), "a" * TEXT_LIMIT), (True, None, None), (False, "a", None)],
)
def test_text_is_kept_to_a_bound_and_only_where_it_is_asked_for(
    with_text: bool,  # noqa: FBT001 - a case
    text: str | None,
    kept: str | None,
) -> None:
    sink = Sink()
    writer = BackgroundWriter(lambda: sink)
    RecordOutcomes(writer, with_text=with_text).publish(clean(text=text))
    writer.close()
    assert [one.text for one in sink.outcomes] == [kept]


def test_full_queue_drops_and_counts_without_waiting() -> None:
    gate = threading.Event()
    sink = Sink(gate=gate)
    writer, events = writing(sink, room=10)
    publish(events, 1)
    sink.entered.wait(60)
    with capture_logs() as logs:
        publish(events, 15)
    assert (writer.dropped, writer.waiting) == (5, 10)
    gate.set()
    writer.close()
    assert (len(sink.outcomes), sink.dropped[-1]) == (11, 5)
    assert [(log["event"], log["log_level"]) for log in logs] == [("llm_store_dropped", "warning")]


@pytest.mark.usefixtures("quick")
def test_store_that_is_away_is_tried_again_and_nothing_is_lost() -> None:
    sink = Sink(failures=3)
    writer, events = writing(sink)
    with capture_logs() as logs:
        publish(events, 5)
        until(lambda: writer.written == 5)
    assert [(log["event"], "it is away" in log["error"]) for log in logs] == [("llm_store_unavailable", True)]
    assert (len(sink.outcomes), writer.dropped) == (5, 0)
    writer.close()


@pytest.mark.usefixtures("quick")
def test_writer_is_stuck_while_the_store_refuses_what_it_writes(quick: None) -> None:
    del quick
    sink = Sink(failures=1_000_000)
    writer, events = writing(sink)
    assert not writer.is_stuck
    publish(events, 1)
    until(lambda: writer.is_stuck)
    sink.failures = 0
    until(lambda: not writer.is_stuck)

    assert writer.written == 1


def test_writer_is_stuck_where_the_store_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "LATE", 0.01)
    gate = threading.Event()
    writer, events = writing(Sink(gate=gate))
    publish(events, 1)
    until(lambda: writer.is_stuck)
    gate.set()
    until(lambda: writer.written == 1)

    assert not writer.is_stuck


def test_writer_is_stuck_where_it_has_no_room() -> None:
    gate, sink = threading.Event(), Sink()
    sink.gate = gate
    writer, events = writing(sink, room=1)
    publish(events, 1)
    sink.entered.wait(60)
    publish(events, 1)

    assert writer.is_stuck
    gate.set()
    until(lambda: not writer.is_stuck)


def test_writer_that_gave_a_batch_up_is_not_stuck(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    del quick
    monkeypatch.setattr(writers, "GIVE_UP", -1.0)
    writer, events = writing(Sink(failures=1))
    publish(events, 1)
    until(lambda: writer.dropped == 1)
    until(lambda: not writer.is_stuck)

    assert writer.written == 0


def test_each_absence_of_the_store_is_one_line() -> None:
    sink = Sink(failures=2)
    writer, events = writing(sink)
    with capture_logs() as logs:
        publish(events, 1)
        until(lambda: writer.written == 1)
        sink.failures = 2
        publish(events, 1)
        until(lambda: writer.written == 2)
    assert [log["event"] for log in logs] == ["llm_store_unavailable"] * 2
    writer.close()


@pytest.mark.usefixtures("quick")
def test_store_that_cannot_be_opened_is_tried_again() -> None:
    sink, tries = Sink(), iter([True, False])

    def open_sink() -> Sink:
        if next(tries):
            message = "a bug"
            raise ZeroDivisionError(message)
        return sink

    writer = BackgroundWriter(open_sink, interval=0.001)
    with capture_logs() as logs:
        RecordOutcomes(writer).publish(clean())
        until(lambda: writer.written == 1)
    assert logs[0]["error"] == "ZeroDivisionError"
    writer.close()


@pytest.mark.usefixtures("quick")
def test_batch_that_cannot_be_stored_for_long_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "GIVE_UP", -1.0)
    sink = Sink(failures=1)
    writer, events = writing(sink)
    publish(events, 2)
    until(lambda: writer.dropped > 0)
    sink.failures = 0
    publish(events, 1)
    writer.close()
    assert writer.dropped + len(sink.outcomes) == 3


@pytest.mark.parametrize("failures", [1, 10**9])
def test_end_is_held_up_no_longer_than_its_bound(failures: int) -> None:
    sink = Sink(failures=failures)
    writer = BackgroundWriter(lambda: sink)
    publish(RecordOutcomes(writer), 3)
    began = time.monotonic()
    writer.close(seconds=0.6)
    assert time.monotonic() - began < 5
    until(lambda: (writer.written, writer.dropped) == ((3, 0) if failures == 1 else (0, 3)))


def test_store_that_hangs_does_not_hold_up_the_end() -> None:
    gate = threading.Event()
    sink = Sink(gate=gate)
    writer, events = writing(sink)
    publish(events, 1)
    sink.entered.wait(60)
    publish(events, 4)
    writer.close(seconds=0.05)
    assert writer.dropped == 4
    gate.set()


def test_notes_may_come_after_a_close() -> None:
    sink = Sink()
    writer, events = writing(sink)
    for _ in range(2):
        publish(events, 1)
        writer.close()
    writer.close()
    assert [batch.first for batch in sink.batches] == [1, 2]


def test_any_number_of_threads_may_publish() -> None:
    sink = Sink()
    writer, events = writing(sink)
    threads = [threading.Thread(target=publish, args=(events, 500), daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    writer.close()
    assert len(sink.outcomes) == 4_000


def test_only_one_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two publishers may both see that there is no thread yet."""
    writer, _ = writing(Sink())
    started: list[Callable[[], None]] = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread.run))
    writer._start()  # noqa: SLF001 - what the second publisher does
    writer._start()  # noqa: SLF001 - as above
    writer._thread = None  # noqa: SLF001 - it never ran: there is none to wait for at the end
    assert len(started) == 1


def test_fork_does_not_wait_for_ever_for_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "FORK_WAIT", 0.01)
    gate = threading.Event()
    sink = Sink(gate=gate)
    writer, events = writing(sink)
    publish(events, 1)
    sink.entered.wait(60)
    writer.before_fork()
    writer.after_fork(in_child=False)
    gate.set()
    writer.close()
    assert len(sink.outcomes) == 1


def test_fork_closes_the_connection_and_the_parent_goes_on() -> None:
    sink = Sink()
    writer, events = writing(sink)
    publish(events, 1)
    until(lambda: writer.written == 1)
    writer.before_fork()
    assert sink.closed == 1
    writer.after_fork(in_child=False)
    publish(events, 1)
    writer.close()
    assert len(sink.outcomes) == 2


def test_child_of_a_fork_begins_with_nothing() -> None:
    writer, events = writing(Sink())
    publish(events, 1)
    until(lambda: writer.written == 1)
    writer.before_fork()
    writer.after_fork(in_child=True)
    assert (writer.written, writer.waiting, writer.dropped) == (0, 0, 0)
