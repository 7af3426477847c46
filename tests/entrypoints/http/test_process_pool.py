"""The pool of processes: what takes too long or dies costs itself, and nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from src.entrypoints.http import pools as process_pool
from src.entrypoints.http import pools as room
from src.entrypoints.http.pools import READERS, ProcessPool, ReadingFailedError
from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Language, speaking
from tests.entrypoints.http import jobs
from tests.paths import ROOT
from tests.processes import ending

T = TypeVar("T")
LONG = 60.0


def with_pool(use: Callable[[ProcessPool], Awaitable[T]], timeout: float = LONG) -> T:
    async def run() -> T:
        pool = ProcessPool(1, timeout)
        try:
            return await use(pool)
        finally:
            pool.close()

    return asyncio.run(run())


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False


def gone(pid: int) -> bool:
    until = time.monotonic() + 20
    while is_there(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_there(pid)


def noted(file: Path) -> int:
    """The process that a job has noted."""
    until = time.monotonic() + 30
    while time.monotonic() < until and not (file.exists() and file.read_text(encoding="ascii")):
        time.sleep(0.01)
    return int(file.read_text(encoding="ascii"))


async def code_of(asked: Awaitable[object]) -> tuple[int, str]:
    with pytest.raises(Problem) as raised:
        await asked
    return raised.value.status, raised.value.code


def test_a_reader_is_another_process_and_is_kept() -> None:
    async def use(pool: ProcessPool) -> list[int]:
        return [await pool.run(os.getpid) for _ in range(2)]

    first, second = with_pool(use)

    assert first == second != os.getpid()


def test_what_takes_too_long_is_ended_and_the_next_is_served(tmp_path: Path) -> None:
    file = tmp_path / "pid"

    async def use(pool: ProcessPool) -> tuple[tuple[int, str], int]:
        return await code_of(pool.run(jobs.spin_noted, str(file))), await pool.run(os.getpid)

    late, served = with_pool(use, timeout=2)
    ended = noted(file)

    assert late == (504, "PARSE_TIMEOUT")
    assert gone(ended)
    assert served != ended


def test_what_sleeps_too_long_is_ended_as_well() -> None:
    async def use(pool: ProcessPool) -> tuple[int, str]:
        await pool.run(os.getpid)
        return await code_of(pool.run(time.sleep, LONG))

    assert with_pool(use, timeout=0.5) == (504, "PARSE_TIMEOUT")


def test_what_takes_long_goes_on_and_leaves_its_place_to_what_does_not() -> None:
    async def use(pool: ProcessPool) -> tuple[bool, int, int]:
        kept = await pool.run(os.getpid)
        long = asyncio.create_task(pool.run(jobs.spin, 1.0))
        for _ in range(5):
            await pool.run(os.getpid)
        return long.done(), kept, await long

    was_done, kept, other = with_pool(use)

    assert not was_done
    assert other != kept


def test_a_reader_steps_back_behind_the_service() -> None:
    async def use(pool: ProcessPool) -> int:
        return await pool.run(jobs.niceness)

    assert with_pool(use) == min(19, os.nice(0) + process_pool.FIRST_NICENESS)


def test_what_kills_its_process_twice_is_a_problem_and_the_next_is_served() -> None:
    async def use(pool: ProcessPool) -> tuple[tuple[int, str], int]:
        return await code_of(pool.run(jobs.be_killed)), await pool.run(os.getpid)

    died, served = with_pool(use)

    assert died == (500, "READER_DIED")
    assert served


def test_a_reader_that_somebody_kills_costs_no_answer() -> None:
    async def use(pool: ProcessPool) -> tuple[int, int]:
        killed = await pool.run(os.getpid)
        os.kill(killed, signal.SIGKILL)
        return killed, await pool.run(os.getpid)

    killed, served = with_pool(use)

    assert killed != served


def test_a_fork_server_that_somebody_kills_is_started_again() -> None:
    async def use(pool: ProcessPool) -> int:
        await pool.run(os.getpid)
        assert READERS.pid
        os.kill(READERS.pid, signal.SIGKILL)
        assert gone(READERS.pid)
        pool.close()
        return await pool.run(os.getpid)

    assert with_pool(use)


def test_an_error_of_ours_is_told_without_its_message() -> None:
    async def use(pool: ProcessPool) -> str:
        with pytest.raises(ReadingFailedError) as raised:
            await pool.run(jobs.fail, "a private text")
        return raised.value.place

    assert with_pool(use).startswith("ValueError in fail, line ")


def test_messages_are_in_the_language_of_who_asks() -> None:
    async def use(pool: ProcessPool) -> list[str]:
        said = []
        for language in Language:
            with speaking(language):
                said.append(await pool.run(jobs.say))
        return said

    assert with_pool(use) == ["茶", "tea", "茶 (tea)"]


def test_a_full_pool_says_when_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_WAITING", 1)

    async def use(pool: ProcessPool) -> tuple[tuple[int, str], tuple[int, int, int], tuple[int, int]]:
        tasks = [asyncio.create_task(pool.run(time.sleep, 0.2)) for _ in range(2)]
        await asyncio.sleep(0)
        full = await code_of(pool.run(os.getpid))
        before = (pool.room.in_use, pool.room.waiting, pool.room.rejected)
        await asyncio.gather(*tasks)
        return full, before, (pool.room.in_use, pool.room.waiting)

    assert with_pool(use) == ((503, "POOL_FULL"), (1, 1, 1), (0, 0))


def test_what_waits_is_bounded_in_bytes_together() -> None:
    async def use(pool: ProcessPool) -> list[bool]:
        task = asyncio.create_task(pool.run(os.getpid, size=room.MOST_BYTES + 1))
        await asyncio.sleep(0)
        beside = pool.room.has(1)
        await task
        return [beside, pool.room.has(room.MOST_BYTES + 1)]

    assert with_pool(use) == [False, True]


def test_readers_have_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("OUTPUT_API_KEYS", "OUTPUT_STORE_URL", "OUTPUT_WEBHOOK_SECRET", "LLM_API_KEY")
    for name in secrets:
        monkeypatch.setenv(name, "secret")
    READERS.close()

    async def use(pool: ProcessPool) -> list[str]:
        return await pool.run(jobs.variables)

    assert not {*secrets} & {*with_pool(use)}


def test_readers_end_with_the_service_though_it_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    program = (
        "import asyncio; from src.entrypoints.http.pools import ProcessPool; "
        "from tests.entrypoints.http import jobs; "
        f"asyncio.run(ProcessPool(1, 60).run(jobs.spin_noted, {str(file)!r}))"
    )
    with ending(subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)) as process:  # noqa: S603 - ourselves
        reader = noted(file)
        process.kill()

    assert gone(reader)
