"""So many requests at once and in a minute, and the others wait their turn."""

import asyncio
import threading

import pytest

from src.shared.infrastructure.llm.connections import Limiter

pytestmark = pytest.mark.anyio


class Crowd:
    """Takes places and notes who had one, in their order, and how many at most at once."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self.served: list[int] = []
        self.now = self.most = 0

    async def come(self, number: int) -> None:
        async with self.limiter.place():
            self.served.append(number)
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            self.now -= 1


async def test_no_more_than_so_many_at_once_in_the_order_of_their_arrival() -> None:
    crowd = Crowd(Limiter(3))

    await asyncio.gather(*map(crowd.come, range(50)))

    assert (crowd.served, crowd.most) == (list(range(50)), 3)


async def test_without_a_bound_all_go_at_once() -> None:
    crowd = Crowd(Limiter(0))

    await asyncio.gather(*map(crowd.come, range(50)))

    assert crowd.most == 50


async def test_waiting_that_is_cancelled_takes_no_place() -> None:
    limiter = Limiter(1)
    crowd = Crowd(limiter)
    async with limiter.place():
        waiting = [asyncio.ensure_future(crowd.come(number)) for number in range(10)]
        await asyncio.sleep(0)
        for call in waiting[::2]:
            call.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)

    assert crowd.served == [1, 3, 5, 7, 9]


async def test_place_comes_back_after_a_failure() -> None:
    limiter = Limiter(1)
    for place in "123":
        with pytest.raises(ValueError, match=place):
            async with asyncio.timeout(5), limiter.place():
                raise ValueError(place)


class Clock:
    """A minute that passes at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        monkeypatch.setattr(f"{Limiter.__module__}.monotonic", lambda: self.now)
        monkeypatch.setattr(f"{Limiter.__module__}.sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_no_more_than_so_many_begin_within_any_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, begun = Clock(monkeypatch), []
    limiter = Limiter(0, 3)

    for _ in range(8):
        async with limiter.place():
            begun.append(clock.now - 1_000)
        clock.now += 10

    assert begun == [0, 10, 20, 60, 70, 80, 120, 130]


async def test_waiting_for_the_minute_that_is_cancelled_counts_for_nothing() -> None:
    limiter = Limiter(0, 1)
    async with limiter.place():
        pass
    waiting = [asyncio.ensure_future(Crowd(limiter).come(number)) for number in range(3)]
    await asyncio.sleep(0.01)
    assert not any(call.done() for call in waiting)
    for call in waiting:
        call.cancel()
    ends = await asyncio.gather(*waiting, return_exceptions=True)

    assert {type(end) for end in ends} == {asyncio.CancelledError}
    assert len(limiter._begun) == 1  # noqa: SLF001 - else a minute would have to pass


def test_several_loops_have_places_of_their_own_and_one_minute_together() -> None:
    limiter = Limiter(1, 4)
    crowds = [Crowd(limiter) for _ in range(2)]

    async def two(crowd: Crowd) -> None:
        await asyncio.gather(crowd.come(0), crowd.come(1))

    threads = [threading.Thread(target=asyncio.run, args=(two(crowd),)) for crowd in crowds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    async def one_too_many() -> None:
        async with asyncio.timeout(0.05):
            await crowds[0].come(2)

    assert [crowd.served for crowd in crowds] == [[0, 1], [0, 1]]
    with pytest.raises(TimeoutError):
        asyncio.run(one_too_many())
