"""A run that may be killed and begun again: each text is in the store once, and a store that is away costs little."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from src.modules.monitoring.container import record_run
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.domain.outcome import Batch, Outcome
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.schema import OUTCOME, WRITER
from src.modules.monitoring.infrastructure.writers import RunWriter
from src.shared.domain.language import Message
from tests.modules.monitoring.stored import made

AWAY = StoreUnavailableError("s", Message("离开", "it is away"))


class Sink:
    """Keeps batches; fails as often as it is told to."""

    def __init__(self, *failures: Exception) -> None:
        self.failures, self.tries = list(failures), 0
        self.batches: list[Batch] = []
        self.dropped: list[int] = []

    def write(self, batch: Batch, dropped: int) -> None:
        self.tries += 1
        if self.failures:
            raise self.failures.pop()
        self.batches.append(batch)
        self.dropped.append(dropped)

    def close(self) -> None:
        self.tries = -1


SOME = made(3)


def started(url: str, folder: Path) -> RunWriter:
    return record_run(folder / "writer.json", MonitoringSettings(store_url=url, store_days=0))


def rows(url: str) -> tuple[list[int], list[int]]:
    """Numbers of the outcomes, and what each writer dropped."""
    with Store(url).reading() as connection:
        numbers = connection.execute(select(OUTCOME.c.number).order_by(OUTCOME.c.number)).scalars().all()
        return list(numbers), list(connection.execute(select(WRITER.c.dropped)).scalars())


def test_outcomes_have_the_numbers_of_the_run(url: str, tmp_path: Path) -> None:
    writer = started(url, tmp_path)
    writer.keep(1_001, SOME)
    writer.keep(1, SOME[:1])
    assert (writer.written, writer.dropped) == (4, 0)
    writer.close()
    assert rows(url) == ([1, 1_001, 1_002, 1_003], [0])


def test_outcomes_that_are_given_again_by_another_process_change_nothing(url: str, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("content", ["", "{}", '{"id": 1}', "[]"])
def test_file_that_names_no_writer_is_written_anew(url: str, tmp_path: Path, content: str) -> None:
    (tmp_path / "writer.json").write_text(content)
    for _ in range(2):
        writer = started(url, tmp_path)
        writer.keep(1, SOME)
        writer.close()
    assert rows(url) == ([1, 2, 3], [0])


def test_what_every_start_of_the_run_dropped_is_counted_together(url: str, tmp_path: Path) -> None:
    for start in (1, 2):
        writer = started(url, tmp_path)
        writer.dropped = 10 * start
        writer.keep(start * 10, SOME)
        writer.close()
    assert rows(url)[1] == [30]


@pytest.mark.parametrize(("failure", "told"), [(AWAY, "it is away"), (ZeroDivisionError("a bug"), "ZeroDivisionError")])
def test_outcomes_wait_for_a_store_that_is_away_and_nothing_is_lost(failure: Exception, told: str) -> None:
    sink = Sink(failure)
    writer = RunWriter(sink, first_wait=0)
    with capture_logs() as logs:
        writer.keep(1, SOME)
        writer.keep(11, SOME)
    assert [batch.first for batch in sink.batches] == [1, 11]
    assert [(log["event"], told in log["error"]) for log in logs] == [("llm_store_unavailable", True)]


def test_store_that_is_away_is_not_asked_at_every_part() -> None:
    sink = Sink(*[AWAY] * 9)
    writer = RunWriter(sink, first_wait=60)
    with capture_logs() as logs:
        for part in range(5):
            writer.keep(part * 10 + 1, SOME)
    assert (sink.tries, writer.written, len(logs)) == (1, 0, 1)


def test_further_outcomes_are_dropped_and_counted_where_there_is_no_room() -> None:
    sink = Sink(AWAY)
    writer = RunWriter(sink, first_wait=0.001, room=7)
    with capture_logs() as logs:
        for part in range(4):
            writer._again = time.monotonic() + 60  # noqa: SLF001 - the store was asked a moment ago
            writer.keep(part * 10 + 1, SOME)
    assert writer.dropped == 6
    assert [log["event"] for log in logs] == ["llm_store_dropped"]
    writer.close()
    assert ([batch.first for batch in sink.batches], sink.dropped[-1], writer.written) == ([1, 11], 6, 6)


def test_end_is_held_up_no_longer_than_its_bound_and_what_is_lost_is_counted() -> None:
    sink = Sink(*[AWAY] * 10_000)
    writer = RunWriter(sink, seconds=0.2, first_wait=0.01)
    began = time.monotonic()
    writer.keep(1, SOME)
    writer.close()
    assert time.monotonic() - began < 5
    assert (writer.written, writer.dropped, sink.tries) == (0, 3, -1)


def test_end_waits_a_moment_for_a_store_that_comes_back() -> None:
    sink = Sink(AWAY, AWAY)
    writer = RunWriter(sink, first_wait=0.01)
    writer.keep(1, SOME)
    writer.close()
    assert (writer.written, writer.dropped) == (3, 0)


def test_text_is_stored_where_it_was_noted(url: str, tmp_path: Path) -> None:
    writer = started(url, tmp_path)
    writer.keep(1, [Outcome(1, "a", SOME[0].outcome, text="text")])
    writer.close()
    with Store(url).reading() as connection:
        assert connection.execute(select(func.max(OUTCOME.c.text))).scalar() == "text"
