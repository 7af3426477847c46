"""What the load of the service asks, and what it takes for kept."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tools.benchmarks.service import Row
from tools.benchmarks.service_runs import Load
from tools.benchmarks.service_texts import body_of, is_clean, recorded_texts, write_script

KEPT = Load(rate=700, p50=20, p99=99, broken=0, refused=0.5)
STATUSES = Counter({200: 5, 422: 5})


SLOW = Load(rate=700, p50=200, p99=400, broken=0, refused=0.5)
"""Without pauses, an answer may take its time."""


def missed(
    tmp_path: Path,
    seen: Load = SLOW,
    paced: Load = KEPT,
    statuses: Counter[int] = STATUSES,
    grown: float = 0.0,
) -> int:
    row = Row("texts", ["{}"], tmp_path)
    row.judge(seen, paced, statuses, 1_000, grown)
    return len(row.missed)


def test_promises_are_kept_at_their_bounds(tmp_path: Path) -> None:
    assert missed(tmp_path) == 0


@pytest.mark.parametrize(
    ("seen", "paced", "statuses", "grown"),
    [
        (SLOW._replace(rate=599), KEPT, STATUSES, 0),
        (SLOW, KEPT._replace(p99=100), STATUSES, 0),
        (SLOW, KEPT._replace(rate=590), STATUSES, 0),
        (SLOW._replace(broken=1), KEPT, STATUSES, 0),
        (SLOW, KEPT._replace(broken=1), STATUSES, 0),
        (SLOW._replace(refused=0.6), KEPT, STATUSES, 0),
        (SLOW, KEPT, Counter({200: 5, 422: 4, 500: 1}), 0),
        (SLOW, KEPT, STATUSES, 0.1),
    ],
    ids=["rate", "p99", "rate with pauses", "broken", "broken with pauses", "refused", "status", "memory"],
)
def test_each_promise_can_be_missed(
    tmp_path: Path, seen: Load, paced: Load, statuses: Counter[int], grown: float
) -> None:
    assert missed(tmp_path, seen, paced, statuses, grown) == 1


def test_a_service_that_is_too_slow_for_a_load_with_pauses_misses_its_rate_alone(tmp_path: Path) -> None:
    seen = KEPT._replace(rate=100)

    assert missed(tmp_path, seen, seen) == 1


def test_texts_are_real_ones_of_the_length_that_is_named() -> None:
    texts = recorded_texts()

    assert {is_clean(text) for text in texts} == {True, False}
    assert all(1_000 <= len(text.encode()) <= 3_000 for text in texts)


@pytest.mark.skipif(not shutil.which("luajit"), reason="needs luajit (Debian: apt-get install luajit)")
def test_script_holds_the_bytes_of_each_request(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    text = 'quote " backslash \\ 中文 \x00\n7'
    write_script(script, [body_of(text)])
    with script.open("a", encoding="utf-8") as lua:
        lua.write("io.write(request())")
    ended = subprocess.run(["luajit", str(script)], check=True, capture_output=True)  # noqa: S603, S607 - a test's own

    assert ended.stdout.partition(b"\r\n\r\n")[2] == body_of(text)
