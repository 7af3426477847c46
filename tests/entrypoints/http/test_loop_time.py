"""How much the event loop reads by itself."""

from __future__ import annotations

from src.entrypoints.http.loop_time import FREE_WORK, SAVED_PER_SECOND, SAVED_WORK, LoopTime


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_at_first_a_text_may_take_what_is_free_and_all_that_can_be_saved() -> None:
    assert LoopTime(Clock()).most_work(is_crowded=False) == FREE_WORK + SAVED_WORK


def test_what_is_free_is_not_charged() -> None:
    time = LoopTime(Clock())
    for _ in range(1_000):
        time.spend(FREE_WORK)

    assert time.most_work(is_crowded=False) == FREE_WORK + SAVED_WORK


def test_a_text_that_takes_one_unit_more_is_charged_for_it() -> None:
    time = LoopTime(Clock())
    time.spend(FREE_WORK + 1)

    assert time.most_work(is_crowded=False) == FREE_WORK + SAVED_WORK - 1


def test_many_texts_that_take_much_leave_what_is_free() -> None:
    time = LoopTime(Clock())
    for _ in range(10):
        time.spend(time.most_work(is_crowded=False))

    assert time.most_work(is_crowded=False) == FREE_WORK


def test_it_saves_as_time_goes_by_and_no_more_than_its_bound() -> None:
    clock = Clock()
    time = LoopTime(clock)
    time.spend(FREE_WORK + SAVED_WORK)
    clock.now = 0.1
    assert time.most_work(is_crowded=False) == FREE_WORK + SAVED_PER_SECOND // 10

    clock.now = 100
    assert time.most_work(is_crowded=False) == FREE_WORK + SAVED_WORK


def test_beside_threads_that_all_read_a_text_may_take_what_is_free_alone() -> None:
    assert LoopTime(Clock()).most_work(is_crowded=True) == FREE_WORK
