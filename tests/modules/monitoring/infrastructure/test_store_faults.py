"""Whatever happens to the store, no parse fails or waits; what is lost is counted, and nothing is there twice."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from src.modules.monitoring.container import Recording, read_rates, record_outcomes
from src.modules.monitoring.domain.rate import RateQuery, Window
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.store import connection, outcome_writer
from src.modules.monitoring.infrastructure.store.connection import Store
from tests.modules.monitoring.waiting import until
from tests.paths import ROOT
from tests.postgres import Postgres
from tests.shared.event_samples import asked, clean, refused

EVERYTHING = RateQuery(Window(None, 86_400))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits less for a lock, and tries again at once."""
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(outcome_writer, "FIRST_WAIT", 0.01)


@pytest.fixture
def recording(sqlite_url: str) -> Iterator[Recording]:
    """One that has written an outcome."""
    recording = record_outcomes(MonitoringSettings(store_url=sqlite_url))
    written(recording, 1)
    yield recording
    recording.writer.close()


def written(recording: Recording, count: int) -> None:
    """Publish so many, and wait until they are stored."""
    before = recording.writer.written
    for _ in range(count):
        recording.events.publish(clean())
    until(lambda: recording.writer.written == before + count)


def parses(url: str) -> int:
    return read_rates(url).total(EVERYTHING).texts.parses


@pytest.mark.usefixtures("quick")
def test_outcomes_wait_while_somebody_else_has_the_file_to_himself(sqlite_url: str, tmp_path: Path) -> None:
    recording = record_outcomes(MonitoringSettings(store_url=sqlite_url))
    written(recording, 1)
    with closing(sqlite3.connect(tmp_path / "outcomes.db", isolation_level=None)) as other, capture_logs() as logs:
        other.execute("BEGIN IMMEDIATE")
        recording.events.publish(clean())
        until(lambda: bool(logs))
        other.execute("ROLLBACK")
        until(lambda: recording.writer.written == 2)
    assert [(log["event"], "locked" in log["error"]) for log in logs] == [("llm_store_unavailable", True)]
    assert (parses(sqlite_url), recording.writer.dropped) == (2, 0)
    recording.writer.close()


def remove(folder: Path) -> None:
    for file in folder.glob("outcomes.db*"):
        file.unlink()


def test_store_that_was_deleted_is_made_anew(recording: Recording, sqlite_url: str, tmp_path: Path) -> None:
    remove(tmp_path)
    written(recording, 2)
    assert (parses(sqlite_url), recording.writer.dropped) == (2, 0)


def test_outcome_of_which_more_is_heard_after_its_store_was_deleted_is_in_the_new_one(
    recording: Recording, sqlite_url: str, tmp_path: Path
) -> None:
    recording.events.publish(refused())
    until(lambda: recording.writer.written == 2)
    remove(tmp_path)
    recording.events.publish(asked())
    until(lambda: recording.writer.written == 3)
    total = read_rates(sqlite_url).total(EVERYTHING).texts
    assert (total.parses, total.refused, total.asked) == (1, 1, 1)


def test_reader_follows_a_store_that_was_replaced(recording: Recording, sqlite_url: str, tmp_path: Path) -> None:
    rates = read_rates(sqlite_url)
    assert rates.total(EVERYTHING).texts.parses == 1
    remove(tmp_path)
    written(recording, 3)
    assert rates.total(EVERYTHING).texts.parses == 3


PROGRAM = """
import logging, os, resource, sys
from src.modules.monitoring.container import record_outcomes
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.reading import ObservedOutput
from src.shared.infrastructure.events.fan_out import FanOut
from tests.modules.monitoring.worker import CLEAN

url, harm = sys.argv[1:]
logging.basicConfig()
recording = record_outcomes(MonitoringSettings(store_url=url))
output = ObservedOutput(OUTPUT, FanOut(recording.events))
output.read(CLEAN)
recording.writer.close(10)
before = recording.writer.written
if harm == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
elif os.geteuid() == 0:
    os.seteuid(65534)
for _ in range(300):
    output.read(CLEAN)
recording.writer.close(0.5)
print(before, recording.writer.written, recording.writer.dropped)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="limits and permissions are those of POSIX systems")
@pytest.mark.parametrize(("harm", "told"), [("full", "disk"), ("read-only", "readonly")])
def test_no_parse_fails_with_a_store_that_takes_nothing_more(harm: str, told: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="store-"))
    try:
        folder.chmod(0o755)
        url = f"sqlite:///{folder}/outcomes.db"
        command = [sys.executable, "-c", PROGRAM, url, harm]
        if harm == "read-only" and os.geteuid() != 0:
            pytest.skip("only root can take the permission away from a file that is open")
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - our own
        assert ended.stdout.split() == ["1", "1", "300"]
        assert told in ended.stderr
        assert parses(url) == 1
    finally:
        shutil.rmtree(folder)


def test_server_that_restarts_costs_nothing_and_nothing_is_there_twice(postgres: Postgres) -> None:
    url = postgres.fresh()
    recording = record_outcomes(MonitoringSettings(store_url=url))
    written(recording, 200)
    with capture_logs() as logs:
        for _ in range(200):
            recording.events.publish(clean())
        postgres.stop("fast")
        try:
            recording.events.publish(clean())
            until(lambda: bool(logs))
        finally:
            postgres.start()
    assert [log["event"] for log in logs] == ["llm_store_unavailable"]
    until(lambda: recording.writer.written == 401)
    recording.writer.close()
    assert recording.writer.dropped == 0
    with Store(url).reading() as found:
        numbers = found.execute(text("SELECT number FROM llm_outcome ORDER BY number")).scalars().all()
    assert numbers == [*range(1, 402)]
    assert read_rates(url).facts().writers == 1
