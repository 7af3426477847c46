"""The thread that writes: nothing waits for it, nothing fails with it, and what is lost is counted."""

from __future__ import annotations

import atexit
import multiprocessing.util
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from src.modules.monitoring.container import record_run
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.store import outcome_writer
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import BATCH, OutcomeWriter
from src.modules.monitoring.infrastructure.store.schema import OUTCOME, WRITER
from src.shared.domain.language import Message
from src.shared.domain.outcome import TEXT_LIMIT, Outcome
from src.shared.domain.ports.events import CallStarted
from tests.modules.monitoring.stored import made
from tests.modules.monitoring.waiting import until
from tests.processes import LIMIT
from tests.shared.event_samples import asked, clean, refused

AWAY = StoreUnavailableError("s", Message("离开", "it is away"))
FOR_EVER = 10**9


class Scripted(OutcomeWriter):
    """Keeps batches in place of a store; fails as often as it is told to, and waits where it is told to."""

    def __init__(
        self,
        failures: int = 0,
        gate: threading.Event | None = None,
        error: Exception = AWAY,
        interval: float = 0.001,
        **options: Any,  # noqa: ANN401 - as the writer takes them
    ) -> None:
        self.failures, self.gate, self.error = failures, gate, error
        self.tries, self.entered = 0, threading.Event()
        self.batches: list[list[Outcome]] = []
        super().__init__(Store("sqlite:///never-opened.db"), interval=interval, **options)

    def write(self, outcomes: Sequence[Outcome]) -> None:
        self.tries += 1
        self.entered.set()
        if self.gate:
            self.gate.wait(60)
        if self.failures:
            self.failures -= 1
            raise self.error
        self.batches.append([*outcomes])

    @property
    def numbers(self) -> list[int]:
        return [one.number for batch in self.batches for one in batch]

    def hear(self, count: int) -> None:
        for _ in range(count):
            self.publish(clean())


def held(count: int, **options: Any) -> tuple[Scripted, threading.Event]:  # noqa: ANN401 - a writer's
    """A writer whose store takes its time over the first outcomes."""
    gate = threading.Event()
    writer = Scripted(gate=gate, **options)
    writer.hear(count)
    writer.entered.wait(60)
    return writer, gate


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries again at once."""
    monkeypatch.setattr(outcome_writer, "FIRST_WAIT", 0.001)


def test_outcomes_are_written_without_a_close_and_by_it_and_more_may_come_after_it() -> None:
    writer = Scripted()
    writer.hear(3)
    until(lambda: writer.written == 3)
    for count in (BATCH * 2 + 1, 1):
        writer.hear(count)
        writer.close()
    writer.close()
    assert (writer.numbers, writer.waiting, writer.dropped) == ([*range(1, BATCH * 2 + 6)], 0, 0)
    assert max(map(len, writer.batches)) <= BATCH


def test_queue_of_several_batches_is_written_without_waiting_for_more() -> None:
    writer, gate = held(BATCH, interval=60)
    writer.hear(BATCH * 2)
    gate.set()
    until(lambda: writer.written == BATCH * 3)
    assert [len(batch) for batch in writer.batches] == [BATCH] * 3
    writer.close()


def test_only_what_concerns_a_text_is_written_each_text_once() -> None:
    writer = Scripted()
    for event in (CallStarted(), refused(), asked()):
        writer.publish(event)
    writer.close()
    assert [(one.number, one.asked) for batch in writer.batches for one in batch][-1:] == [(1, True)]
    assert writer.written == 2


@pytest.mark.parametrize(
    ("with_text", "text", "kept"),
    [(True, "a" * (TEXT_LIMIT + 1), "a" * TEXT_LIMIT), (True, None, None), (False, "a", None)],
)
def test_text_is_kept_to_a_bound_and_only_where_it_is_asked_for(
    with_text: bool,  # noqa: FBT001 - a case
    text: str | None,
    kept: str | None,
) -> None:
    writer = Scripted(with_text=with_text)
    writer.publish(clean(text=text))
    writer.close()
    assert [one.text for one in writer.batches[0]] == [kept]


def test_full_queue_drops_and_counts_without_waiting() -> None:
    writer, gate = held(1, room=10)
    with capture_logs() as logs:
        writer.hear(15)
    assert (writer.dropped, writer.waiting, writer.is_stuck) == (5, 10, True)
    gate.set()
    writer.close()
    assert (len(writer.numbers), writer.is_stuck) == (11, False)
    assert [(log["event"], log["log_level"]) for log in logs] == [("llm_store_dropped", "warning")]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("error", "told"), [(AWAY, "it is away"), (ZeroDivisionError("bug"), "ZeroDivisionError")])
def test_store_that_is_away_is_tried_again_told_of_once_each_time_and_nothing_is_lost(
    error: Exception, told: str
) -> None:
    writer = Scripted(error=error)
    with capture_logs() as logs:
        for written in (1, 2):
            writer.failures = 3
            writer.hear(1)
            until(lambda written=written: writer.written == written)  # type: ignore[misc]
    assert [(log["event"], told in log["error"]) for log in logs] == [("llm_store_unavailable", True)] * 2
    assert (writer.numbers, writer.dropped) == ([1, 2], 0)
    writer.close()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("does_answer", [True, False])
def test_writer_is_stuck_while_the_store_refuses_or_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
    does_answer: bool,  # noqa: FBT001 - a case
) -> None:
    monkeypatch.setattr(outcome_writer, "LATE", FOR_EVER if does_answer else 0.01)
    gate = threading.Event()
    writer = Scripted(failures=FOR_EVER, gate=None if does_answer else gate)
    assert not writer.is_stuck
    writer.hear(1)
    until(lambda: writer.is_stuck)
    writer.failures = 0
    gate.set()
    until(lambda: not writer.is_stuck)
    assert writer.written == 1


@pytest.mark.usefixtures("quick")
def test_batch_that_cannot_be_stored_for_long_is_dropped_and_the_writer_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outcome_writer, "GIVE_UP", -1.0)
    writer = Scripted(failures=1)
    writer.hear(1)
    until(lambda: writer.dropped == 1)
    until(lambda: not writer.is_stuck)
    writer.hear(1)
    writer.close()
    assert (writer.written, writer.numbers) == (1, [2])


@pytest.mark.parametrize("failures", [1, FOR_EVER])
def test_end_is_held_up_no_longer_than_its_bound(failures: int) -> None:
    writer = Scripted(failures=failures)
    writer.hear(3)
    began = time.monotonic()
    writer.close(seconds=0.6)
    assert time.monotonic() - began < 5
    until(lambda: (writer.written, writer.dropped) == ((3, 0) if failures == 1 else (0, 3)))


def test_store_that_hangs_does_not_hold_up_the_end_and_its_thread_ends_with_it() -> None:
    writer, gate = held(1)
    thread = writer._thread  # noqa: SLF001 - which of the two is there is not told
    writer.hear(4)
    writer.close(seconds=0.05)
    assert writer.dropped == 4
    writer.hear(1)
    gate.set()
    assert thread
    thread.join(LIMIT)
    assert not thread.is_alive()
    until(lambda: writer.written == 2)


def test_any_number_of_threads_may_publish() -> None:
    writer = Scripted()
    threads = [threading.Thread(target=writer.hear, args=(500,), daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    writer.close()
    assert writer.numbers == [*range(1, 4_001)]


def test_only_one_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two publishers may both see that there is no thread yet."""
    writer = Scripted()
    started: list[Callable[[], None]] = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread.run))
    writer._start()  # noqa: SLF001 - what the second publisher does
    writer._start()  # noqa: SLF001 - as above
    writer._thread = None  # noqa: SLF001 - it never ran: there is none to wait for at the end
    assert len(started) == 1


# --- forks and ends -------------------------------------------------------------------------------------


def test_fork_waits_for_a_batch_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome_writer, "FORK_WAIT", 0.01)
    writer, gate = held(1)
    writer.before_fork()
    writer.after_fork()
    gate.set()
    writer.close()
    assert writer.numbers == [1]


def test_fork_closes_the_connection_the_parent_goes_on_and_the_child_begins_with_nothing() -> None:
    writer = Scripted()
    closed: list[str] = []
    writer._store.close = lambda: closed.append("closed")  # type: ignore[method-assign]  # noqa: SLF001 - seen from outside nothing changes
    writer.hear(1)
    until(lambda: writer.written == 1)
    writer.before_fork()
    assert closed == ["closed"]
    writer.after_fork()
    writer.hear(1)
    writer.close()
    assert writer.numbers == [1, 2]
    writer.before_fork()
    writer.begin()
    assert (writer.written, writer.waiting, writer.dropped) == (0, 0, 0)


def test_every_writer_is_told_of_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Scripted()
    told: list[OutcomeWriter] = []
    monkeypatch.setattr(outcome_writer, "_FORKING", {writer})
    outcome_writer._each(told.append)  # noqa: SLF001 - what Python calls when the process forks
    assert told == [writer]


@pytest.mark.parametrize("is_loaded", [True, False])
def test_end_is_told_to_multiprocessing_where_it_is_in_use(
    monkeypatch: pytest.MonkeyPatch,
    is_loaded: bool,  # noqa: FBT001 - a case
) -> None:
    told: list[str] = []

    def finalize(_: None, __: Any, **___: int) -> None:  # noqa: ANN401 - whatever is called
        told.append("multiprocessing")

    monkeypatch.setattr(atexit, "register", lambda _: told.append("atexit"))
    monkeypatch.setattr(multiprocessing.util, "Finalize", finalize)
    if not is_loaded:
        monkeypatch.delitem(sys.modules, "multiprocessing")
    writer = Scripted()
    writer.hear(1)
    writer.close()
    assert told == (["atexit", "multiprocessing"] if is_loaded else ["atexit"])


# --- a run that may be killed and begun again -----------------------------------------------------------

SOME = made(3)


def started(url: str, folder: Path) -> OutcomeWriter:
    return record_run(folder / "writer.json", MonitoringSettings(store_url=url, store_days=0, store_text=True))


def rows(url: str) -> tuple[list[int], list[int]]:
    """Numbers of the outcomes, and what each writer dropped."""
    with Store(url).reading() as connection:
        numbers = connection.execute(select(OUTCOME.c.number).order_by(OUTCOME.c.number)).scalars().all()
        return list(numbers), list(connection.execute(select(WRITER.c.dropped)).scalars())


def test_outcomes_are_stored_with_the_numbers_of_the_run_before_it_goes_on(url: str, tmp_path: Path) -> None:
    writer = started(url, tmp_path)
    writer.keep(1_001, SOME)
    assert rows(url) == ([1_001, 1_002, 1_003], [0])
    writer.keep(1, [Outcome(1, "a", SOME[0].outcome, text="text")])
    assert (writer.written, writer.dropped) == (4, 0)
    writer.close()
    with Store(url).reading() as connection:
        assert connection.execute(select(OUTCOME.c.text).where(OUTCOME.c.number == 1)).scalar() == "text"


@pytest.mark.parametrize("content", [None, "", "{}", '{"id": 1}', "[]"])
def test_outcomes_that_are_given_again_by_another_process_change_nothing(
    url: str, tmp_path: Path, content: str | None
) -> None:
    """Also where the run's file named no writer before."""
    if content is not None:
        (tmp_path / "writer.json").write_text(content)
    for again in (SOME[:2], SOME):
        writer = started(url, tmp_path)
        writer.keep(1, again)
        writer.close()
    assert rows(url) == ([1, 2, 3], [0])


def test_run_goes_on_in_another_store_as_another_writer(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in "ab"]
    for url in (urls[0], urls[1], urls[1]):
        writer = started(url, tmp_path)
        writer.keep(1, SOME)
        writer.close()
    assert [rows(url) for url in urls] == [([1, 2, 3], [0])] * 2


def test_what_every_start_of_the_run_dropped_is_counted_together(url: str, tmp_path: Path) -> None:
    for start in (1, 2):
        writer = started(url, tmp_path)
        writer.dropped = 10 * start
        writer.keep(start * 10, SOME)
        writer.close()
    assert rows(url)[1] == [30]


def test_outcomes_wait_for_a_store_that_is_away_to_the_end_and_the_run_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(outcome_writer, "GIVE_UP", -1.0)
    writer = Scripted(failures=FOR_EVER, run_file=tmp_path / "writer.json")
    with capture_logs() as logs:
        for part in range(5):
            writer.keep(part * 10 + 1, made(3))
    assert (writer.written, writer.dropped, len(logs)) == (0, 0, 1)
    writer.failures = 0
    writer.close()
    assert writer.numbers == [part * 10 + one for part in range(5) for one in (1, 2, 3)]


def test_run_waits_for_a_store_that_hangs_no_longer_than_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome_writer, "LATE", 0.05)
    gate = threading.Event()
    writer = Scripted(gate=gate)
    writer.keep(1, made(1))
    assert (writer.written, writer.waiting) == (0, 0)
    gate.set()
    writer.close()
    assert writer.numbers == [1]
