"""Two at once: both results, or the failure as it is."""

import asyncio

import pytest

from src.shared.application.together import both

pytestmark = pytest.mark.anyio


async def value(result: int) -> int:
    return result


async def failing(message: str) -> int:
    raise ValueError(message)


async def endless(ended: list[str]) -> int:
    try:
        await asyncio.sleep(60)
    finally:
        ended.append("cancelled")
    return 0


async def test_both_results_come_in_order() -> None:
    assert await both(value(1), value(2)) == (1, 2)


async def test_they_run_side_by_side() -> None:
    here, there = asyncio.Event(), asyncio.Event()

    async def meet(mine: asyncio.Event, other: asyncio.Event) -> None:
        mine.set()
        await other.wait()

    await asyncio.wait_for(both(meet(here, there), meet(there, here)), 5)
    assert here.is_set()


async def test_failure_is_raised_as_it_is_and_the_other_is_cancelled() -> None:
    ended: list[str] = []
    with pytest.raises(ValueError, match="broken"):
        await both(endless(ended), failing("broken"))
    assert ended == ["cancelled"]


async def test_first_of_two_failures_is_raised() -> None:
    with pytest.raises(ValueError, match="one"):
        await both(failing("one"), failing("two"))


async def test_cancelling_cancels_both() -> None:
    ended: list[str] = []
    task = asyncio.create_task(both(endless(ended), endless(ended)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cancelled", "cancelled"]
