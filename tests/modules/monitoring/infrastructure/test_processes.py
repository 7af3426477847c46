"""Several processes write to one store: started anew, forked, spawned, and killed at any moment."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from src.modules.monitoring.container import read_rates, record_outcomes
from src.modules.monitoring.domain.rate import RateQuery, Window
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import QUEUE
from src.shared.domain.repair_rate import RepairRate
from tests.modules.monitoring.waiting import until
from tests.modules.monitoring.worker import work
from tests.paths import ROOT
from tests.processes import LIMIT
from tests.shared.event_samples import clean
from tests.thorough import at_length

TEXTS, KILLS, PROCESSES = at_length(1_000, 100_000), at_length(1, 10), at_length(2, 4)
EVERYTHING = RateQuery(Window(None, 86_400))

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork and SIGKILL are of POSIX systems")


@dataclass(frozen=True)
class Log:
    """What a process says it did.

    Attributes:
        endings: how each text ended, in order; the last ones may not have been published.
        stored: notes that it knew to be in the store: each text is one, and each question another.
        ended: whether it came to its end.
    """

    endings: list[str]
    stored: int
    ended: bool

    @classmethod
    def read(cls, file: Path) -> Log:
        lines = file.read_text().splitlines()
        stored = [int(line.split()[1]) for line in lines if line.startswith("stored")]
        endings = [line for line in lines if line != "end" and not line.startswith("stored")]
        return cls(endings, max(stored, default=0), "end" in lines)


def start(url: str, folder: Path, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.modules.monitoring.worker", url, str(folder), str(count)]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})  # noqa: S603 - our own


def rows_by_process(url: str) -> dict[int, list[tuple[int, str, bool]]]:
    """Number, outcome and whether it was asked about, in order, of each process that has a log."""
    query = (
        "SELECT w.pid, o.number, o.outcome, o.asked FROM llm_writer w "
        "LEFT JOIN llm_outcome o ON o.writer = w.id ORDER BY w.id, o.number"
    )
    found: dict[int, list[tuple[int, str, bool]]] = {}
    with Store(url).reading() as connection:
        for pid, number, outcome, is_asked in connection.execute(text(query)):
            found.setdefault(pid, []).extend([(number, outcome, bool(is_asked))] if number else [])
    return found


def killed_again_and_again(url: str, folder: Path, texts: int) -> None:
    """One process, killed and started again until it has been killed often enough, and then let be."""
    chance = random.Random(5)  # noqa: S311 - the same every time
    for _ in range(KILLS):
        process = start(url, folder, texts)
        log = folder / str(process.pid)
        enough = chance.randrange(2, max(3, texts // 3))
        until(lambda log=log, enough=enough: log.exists() and log.read_bytes().count(b"\n") >= enough)  # type: ignore[misc]
        process.kill()
        assert process.wait(LIMIT) == -signal.SIGKILL
    assert start(url, folder, texts).wait(LIMIT) == 0


@posix
@pytest.mark.parametrize("url", at_length(["postgres"], ["sqlite", "postgres"]), indirect=True)
def test_killed_process_loses_only_what_was_not_finished_and_the_others_lose_nothing(url: str, tmp_path: Path) -> None:
    """`THOROUGH=1` parses 100,000 texts in four processes and kills one of them ten times."""
    folder, each = tmp_path / "logs", TEXTS // PROCESSES
    folder.mkdir()
    others = [start(url, folder, each) for _ in range(PROCESSES - 1)]
    killed_again_and_again(url, folder, each)
    assert [process.wait(LIMIT) for process in others] == [0] * (PROCESSES - 1)

    rows, logs = rows_by_process(url), {int(file.name): Log.read(file) for file in folder.iterdir()}
    assert sum(log.ended for log in logs.values()) == PROCESSES
    assert set(rows) <= set(logs)
    for pid, log in logs.items():
        found = rows.get(pid, [])
        assert [number for number, _, _ in found] == [*range(1, len(found) + 1)]
        assert [outcome for _, outcome, _ in found] == log.endings[: len(found)]
        assert all(is_asked is (outcome == "refused") for _, outcome, is_asked in found[:-1])
        assert len(found) + sum(is_asked for _, _, is_asked in found) >= log.stored
        assert len(log.endings) - len(found) <= (0 if log.ended else QUEUE)
    counts = Counter(outcome for found in rows.values() for _, outcome, _ in found)
    assert read_rates(url).total(EVERYTHING).texts == RepairRate(
        parses=counts.total(),
        asked=sum(is_asked for found in rows.values() for _, _, is_asked in found),
        repaired=counts["repaired"],
        refused=counts["refused"],
        damage=(),
        kinds=read_rates(url).total(EVERYTHING).texts.kinds,
    )


@posix
def test_parent_and_forked_child_both_write(url: str) -> None:
    recording = record_outcomes(MonitoringSettings(store_url=url))
    recording.events.publish(clean("parent"))
    until(lambda: recording.writer.written == 1)
    pid = os.fork()
    if pid == 0:  # pragma: no cover - another process
        for _ in range(3):
            recording.events.publish(clean("child"))
        recording.writer.close()
        os._exit(0)
    recording.events.publish(clean("parent"))
    assert os.waitpid(pid, 0)[1] == 0
    recording.writer.close()
    rates = read_rates(url)
    assert {rate.name: rate.texts.parses for rate in rates.by_agent()} == {"parent": 2, "child": 3}
    assert rates.facts().writers == 2


@pytest.mark.parametrize(
    ("url", "method"),
    [pytest.param("sqlite", "fork", marks=posix), pytest.param("postgres", "fork", marks=posix), ("sqlite", "spawn")],
    indirect=["url"],
)
def test_children_of_multiprocessing_write_what_is_left_when_they_end(url: str, tmp_path: Path, method: str) -> None:
    context: Any = multiprocessing.get_context(method)
    child = context.Process(target=work, args=(url, str(tmp_path), 50), daemon=True)
    child.start()
    child.join(LIMIT)
    assert child.exitcode == 0
    assert read_rates(url).total(EVERYTHING).texts.parses == 50
