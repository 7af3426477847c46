"""The bounded pool of threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from src.entrypoints.http import pools as room
from src.entrypoints.http.pools import ThreadPool
from src.entrypoints.http.problems import Problem


def in_loop(run: Coroutine[Any, Any, None]) -> None:
    asyncio.run(run)


def test_what_is_raised_in_a_thread_is_raised_where_it_is_waited_for() -> None:
    async def run() -> None:
        with pytest.raises(ZeroDivisionError):
            await ThreadPool(1, 5).run(lambda: 1 // 0)

    in_loop(run())


def test_a_full_pool_says_when_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_WAITING", 1)

    async def run() -> None:
        pool, go_on = ThreadPool(1, 5), threading.Event()
        tasks = [asyncio.create_task(pool.run(lambda: go_on.wait(5))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Problem) as raised:
            await pool.run(lambda: None)
        assert (raised.value.status, raised.value.headers) == (503, (("retry-after", "1"),))
        assert (pool.room.in_use, pool.room.waiting, pool.room.rejected) == (1, 1, 1)
        go_on.set()
        await asyncio.gather(*tasks)
        assert (pool.room.in_use, pool.room.waiting) == (0, 0)

    in_loop(run())


def test_a_question_whose_time_was_over_before_its_turn_is_not_asked() -> None:
    async def run() -> None:
        pool, go_on, asked = ThreadPool(1, 0.05), threading.Event(), []
        first = asyncio.create_task(pool.run(lambda: go_on.wait(5)))
        await asyncio.sleep(0)
        with pytest.raises(Problem):
            await pool.run(lambda: asked.append(1))
        with pytest.raises(Problem):
            await first
        assert pool.room.in_use == 1  # the thread goes on though nobody waits
        go_on.set()
        await pool.run(lambda: None)  # the questions before it have had their turn
        assert asked == []

    in_loop(run())
