"""Killed with SIGKILL at random moments, the master or a worker, and resumed: the same bytes as without.

The store of outcomes has each text once.

`THOROUGH=1` kills sixty times.
"""

import json
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.rate import RateQuery, Window
from tests.corpus.reading import OWN, lines_of
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, run
from tests.processes import ending
from tests.thorough import at_length

KILLS = at_length(2, 60)
SHORT, REAL = at_length(4_000, 40_000), at_length(0, 100)
"""How many short texts there are, and how often the project's own two hundred are repeated: time to kill in."""
PATIENCE = 300.0
LIMIT = at_length(600, 3_600)
NAMES = ("parsed.jsonl", "refused.jsonl")

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="workers are found in /proc, which is Linux's"
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The input: some thousand texts, of which some have to be repaired."""
    real = [json.dumps(text) for text in lines_of("outputs.jsonl", folder=OWN)]
    short = [json.dumps({"text": f'{{"number": {number}{"," * (number % 4 == 0)}}}'}) for number in range(SHORT)]
    texts = short + real * REAL
    file = tmp_path_factory.mktemp("killed") / "in.jsonl"
    file.write_text("\n".join(texts))
    return file


def command(source: Path, out: Path) -> tuple[str, ...]:
    return ("batch", str(source), "--out", str(out), "--workers", "2", "--resume")


def store_of(folder: Path) -> str:
    return f"sqlite:///{folder}.db"


def children(pid: int) -> list[int]:
    try:
        return [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:  # it has just ended
        return []


def parts(out: Path) -> int:
    """How many files a run has for the parts that it is done with."""
    return len(list((out / "parts").glob("*")))


def killed_somewhere(source: Path, out: Path, dice: random.Random) -> tuple[bool, int]:
    """Start a run, kill its master or its workers a moment after it is done with a part, and wait.

    Whether it finished, and how it ended.
    """
    done = parts(out)
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            [*PROGRAM, *command(source, out)],
            cwd=ROOT,
            env=environment(OUTPUT_STORE_URL=store_of(out)),
            stderr=subprocess.DEVNULL,
        )
    ) as master:
        while master.poll() is None and parts(out) == done:
            time.sleep(0.01)
        until = time.monotonic() + dice.uniform(0, at_length(0.1, 2.0))
        while master.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        victims = children(master.pid) if dice.random() < 0.5 else []
        for pid in victims or [master.pid]:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(pid, signal.SIGKILL)
        code = master.wait(PATIENCE)
    return code == 0, code


@pytest.mark.timeout(LIMIT)
def test_run_that_is_killed_and_resumed_has_the_bytes_of_one_that_is_not(source: Path, tmp_path: Path) -> None:
    dice = random.Random(1)  # noqa: S311 - chance that can be repeated: first the master, then the workers
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert run(*command(source, whole)).code == 0
    deaths, is_finished = 0, False
    while deaths < KILLS or not is_finished:
        deaths += 1
        is_finished, _ = killed_somewhere(source, resumed, dice)
        if is_finished and deaths < KILLS:
            resumed, is_finished = tmp_path / f"resumed{deaths}", False
    for folder in (path for path in tmp_path.glob("resumed*") if (path / "tally.json").exists()):
        for name in NAMES:
            assert (folder / name).read_bytes() == (whole / name).read_bytes()
        counts = json.loads((folder / "summary.json").read_bytes())["outcomes"]
        stored = read_rates(store_of(folder)).total(RateQuery(Window(None, 86_400))).texts
        assert (stored.parses, stored.repaired, stored.refused) == (
            counts["texts"],
            counts["repaired"],
            counts["refused"],
        )
