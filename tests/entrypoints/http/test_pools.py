"""The pools: what takes too long or dies costs itself, and nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import pytest

from src.entrypoints.http import pools
from src.entrypoints.http.pools import FIRST_NICENESS, MOST_BYTES, READERS, ProcessPool, ReadingFailedError, ThreadPool
from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Language, speaking
from tests.entrypoints.http import jobs
from tests.modules.monitoring.waiting import until
from tests.paths import ROOT
from tests.processes import ending

pytestmark = pytest.mark.anyio
LONG = 60.0


@pytest.fixture
async def pool() -> AsyncIterator[ProcessPool]:
    made = ProcessPool(1, LONG)
    yield made
    made.close()


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False


def gone(pid: int) -> bool:
    until(lambda: not is_there(pid))
    return True


def noted(file: Path) -> int:
    """The process that a job has noted."""
    until(lambda: file.exists() and bool(file.read_text(encoding="ascii")))
    return int(file.read_text(encoding="ascii"))


async def problem_of(asked: Awaitable[object]) -> Problem:
    with pytest.raises(Problem) as raised:
        await asked
    return raised.value


# --- processes ----------------------------------------------------------------------------------------------


async def test_a_reader_is_another_process_behind_the_service_and_is_kept(pool: ProcessPool) -> None:
    first, second = [await pool.run(os.getpid) for _ in range(2)]

    assert first == second != os.getpid()
    assert await pool.run(jobs.niceness) == min(19, os.nice(0) + FIRST_NICENESS)


async def test_what_takes_too_long_is_ended_and_the_next_is_served(tmp_path: Path) -> None:
    file, short = tmp_path / "pid", ProcessPool(1, 2)
    late = await problem_of(short.run(jobs.spin_noted, str(file)))
    served = await short.run(os.getpid)
    short.close()

    assert (late.status, late.code) == (504, "PARSE_TIMEOUT")
    assert served != noted(file)
    assert gone(noted(file))


async def test_what_sleeps_too_long_is_given_up_as_well() -> None:
    short = ProcessPool(1, 0.5)
    await short.warm_up()
    late = await problem_of(short.run(time.sleep, LONG))
    short.close()

    assert late.code == "PARSE_TIMEOUT"


async def test_what_takes_long_goes_on_and_leaves_its_place_to_what_does_not(pool: ProcessPool) -> None:
    kept = await pool.run(os.getpid)
    long = asyncio.create_task(pool.run(jobs.spin, 1.0))
    for _ in range(5):
        await pool.run(os.getpid)

    assert not long.done()
    assert await long != kept


async def test_what_kills_its_process_twice_is_a_problem_and_the_next_is_served(pool: ProcessPool) -> None:
    died = await problem_of(pool.run(jobs.be_killed))

    assert (died.status, died.code) == (500, "READER_DIED")
    assert await pool.run(os.getpid)


async def test_a_reader_that_somebody_kills_costs_no_answer(pool: ProcessPool) -> None:
    killed = await pool.run(os.getpid)
    os.kill(killed, signal.SIGKILL)

    assert await pool.run(os.getpid) != killed


async def test_a_fork_server_that_somebody_kills_is_started_again(pool: ProcessPool) -> None:
    await pool.run(os.getpid)
    assert READERS.pid
    os.kill(READERS.pid, signal.SIGKILL)
    assert gone(READERS.pid)
    pool.close()

    assert await pool.run(os.getpid)


async def test_an_error_of_ours_is_told_without_its_message(pool: ProcessPool) -> None:
    with pytest.raises(ReadingFailedError) as raised:
        await pool.run(jobs.fail, "a private text")

    assert raised.value.place.startswith("ValueError in fail, line ")


async def test_messages_are_in_the_language_of_who_asks(pool: ProcessPool) -> None:
    said = []
    for language in Language:
        with speaking(language):
            said.append(await pool.run(jobs.say))

    assert said == ["茶", "tea", "茶 (tea)"]


async def test_what_waits_is_bounded_in_number_and_bytes(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MOST_WAITING", 1)
    tasks = [asyncio.create_task(pool.run(time.sleep, 0.2)) for _ in range(2)]
    await asyncio.sleep(0)
    full = await problem_of(pool.run(os.getpid))

    assert (full.status, full.code) == (503, "POOL_FULL")
    assert (pool.room.in_use, pool.room.waiting, pool.room.rejected) == (1, 1, 1)
    await asyncio.gather(*tasks)
    large = asyncio.create_task(pool.run(time.sleep, 0.2, size=MOST_BYTES + 1))
    await asyncio.sleep(0)
    assert not pool.room.has(1)
    await large
    assert (pool.room.in_use, pool.room.waiting, pool.room.has(MOST_BYTES + 1)) == (0, 0, True)


async def test_readers_have_no_secrets(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("OUTPUT_API_KEYS", "OUTPUT_STORE_URL", "OUTPUT_WEBHOOK_SECRET", "LLM_API_KEY")
    for name in secrets:
        monkeypatch.setenv(name, "secret")
    READERS.close()

    assert not {*secrets} & {*await pool.run(jobs.variables)}


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


# --- threads ------------------------------------------------------------------------------------------------


async def test_what_is_raised_in_a_thread_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        await ThreadPool(1, 5).run(lambda: 1 // 0)


async def test_a_full_pool_says_when_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MOST_WAITING", 1)
    threads, go_on = ThreadPool(1, 5), threading.Event()
    tasks = [asyncio.create_task(threads.run(lambda: go_on.wait(5))) for _ in range(2)]
    await asyncio.sleep(0)
    full = await problem_of(threads.run(lambda: None))

    assert (full.status, full.headers) == (503, (("retry-after", "1"),))
    assert (threads.room.in_use, threads.room.waiting, threads.room.rejected) == (1, 1, 1)
    go_on.set()
    await asyncio.gather(*tasks)
    assert (threads.room.in_use, threads.room.waiting) == (0, 0)


async def test_a_question_whose_time_was_over_before_its_turn_is_not_asked() -> None:
    threads, go_on, asked = ThreadPool(1, 0.05), threading.Event(), []
    first = asyncio.create_task(threads.run(lambda: go_on.wait(5)))
    await asyncio.sleep(0)
    late = [await problem_of(threads.run(lambda: asked.append(1))), await problem_of(first)]

    assert [one.code for one in late] == ["PARSE_TIMEOUT"] * 2
    assert threads.room.in_use == 1  # the thread goes on though nobody waits
    go_on.set()
    await threads.run(lambda: None)  # the questions before it have had their turn
    assert asked == []


def test_an_answer_that_comes_when_the_loop_has_ended_is_dropped() -> None:
    threads, go_on, is_over = ThreadPool(1, 0.01), threading.Event(), threading.Event()

    def ask() -> None:
        go_on.wait(5)
        is_over.set()

    with pytest.raises(Problem) as raised:
        asyncio.run(threads.run(ask))
    assert raised.value.code == "PARSE_TIMEOUT"
    go_on.set()

    assert is_over.wait(5)
