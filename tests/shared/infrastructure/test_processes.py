"""A worker that dies costs the item at which it dies, and no other. Every worker here is a real process."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from src.shared.domain.language import Message
from src.shared.infrastructure.processes import Limits, SupervisedWorker, Task
from tests.processes import LIMIT

HANDLERS = "tests.shared.infrastructure.handlers"
BLAMED = -100


class StartError(Exception):
    """A worker cannot be started."""


class Owner:
    """Runs numbers through workers, and notes why some were blamed."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self._workers: list[SupervisedWorker[list[int]]] = []

    def worker(
        self, handler: str = "Doubling", limits: Limits | None = None, **arguments: object
    ) -> SupervisedWorker[list[int]]:
        task = Task(f"{HANDLERS}:{handler}", arguments)
        self._workers.append(SupervisedWorker(task, limits or Limits(), self._blame, StartError))
        return self._workers[-1]

    def doubled(
        self, numbers: Sequence[int], handler: str = "Doubling", limits: Limits | None = None, **arguments: object
    ) -> list[int]:
        pieces = self.worker(handler, limits, **arguments).run(numbers)
        return [number for piece in pieces for number in piece]

    def close(self) -> None:
        for worker in self._workers:
            worker.close()

    def _blame(self, item: int, why: Message) -> list[int]:
        self.reasons.append(why.en)
        return [BLAMED - item]


@pytest.fixture
def owner() -> Iterator[Owner]:
    made = Owner()
    yield made
    made.close()


def test_items_are_handled_in_order(owner: Owner) -> None:
    assert owner.doubled(range(500)) == [number * 2 for number in range(500)]


def test_worker_is_used_again(owner: Owner) -> None:
    worker = owner.worker()
    worker.run([1])
    first = worker._process  # noqa: SLF001 - that it is the same process cannot be seen from outside
    worker.run([2])
    assert worker._process is first  # noqa: SLF001


def test_worker_that_was_killed_between_two_runs_costs_no_item(owner: Owner) -> None:
    worker = owner.worker()
    worker.run([1])
    worker._process.kill()  # type: ignore[union-attr]  # noqa: SLF001 - somebody else kills it
    worker._process.wait(LIMIT)  # type: ignore[union-attr]  # noqa: SLF001
    numbers = range(20_000)  # more than a pipe takes that nobody reads
    assert [number for piece in worker.run(numbers) for number in piece] == [number * 2 for number in numbers]


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGINT for another process on Windows")
def test_ctrl_c_while_a_worker_starts_is_left_to_the_owner(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    started: list[int] = []
    start = subprocess.Popen

    def interrupted(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - as Popen
        process = start(*arguments, **options)
        os.kill(process.pid, signal.SIGINT)  # a terminal sends it to all of a group at once
        started.append(process.pid)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    assert owner.doubled([1, 2]) == [2, 4]
    assert (len(started), capfd.readouterr().err) == (1, "")


def test_item_that_kills_the_worker_is_blamed_and_the_others_are_handled(owner: Owner) -> None:
    doubled = owner.doubled(range(6), deadly=(0, 3, 5))
    assert doubled == [BLAMED, 2, 4, BLAMED - 3, 8, BLAMED - 5]
    assert set(owner.reasons) == {"the reading process was killed: SIGKILL"}


def test_item_that_ends_the_worker_is_blamed(owner: Owner) -> None:
    assert owner.doubled([2, 3, 4], "Leaving") == [4, BLAMED - 3, 8]
    assert owner.reasons == ["the reading process ended by itself: exit code 7"]


def test_item_that_takes_too_long_is_blamed(owner: Owner) -> None:
    assert owner.doubled([1, 2, 3], limits=Limits(seconds=0.3), slow=(2,)) == [2, BLAMED - 2, 6]
    assert owner.reasons == ["it took longer than 0.3 seconds"]


def test_worker_that_is_killed_by_somebody_else_costs_no_item(owner: Owner, tmp_path: Path) -> None:
    assert owner.doubled(range(6), deadly=(3,), once=str(tmp_path / "killed")) == [0, 2, 4, 6, 8, 10]


def test_item_that_needs_more_memory_than_there_is_gets_an_error_and_the_worker_lives(owner: Owner) -> None:
    assert owner.doubled([1, 3, 4], "Greedy", Limits(megabytes=200)) == [2, -1, 8]


def test_no_limit_of_memory_is_no_limit(owner: Owner) -> None:
    assert owner.doubled([1, 3], "Greedy", Limits(megabytes=0)) == [2, 6]


@pytest.mark.parametrize(
    ("handler", "why"), [("none", "LookupError: no such type"), ("gone", "SIGKILL"), ("missing", "AttributeError")]
)
def test_worker_that_cannot_begin_is_an_error_with_its_reason(owner: Owner, handler: str, why: str) -> None:
    with pytest.raises(StartError, match=why):
        owner.doubled([1], handler)


def test_closed_worker_starts_no_other_process(owner: Owner) -> None:
    worker = owner.worker(slow=(1,))
    raised: list[BaseException] = []

    def run() -> None:
        try:
            worker.run([1])
        except StartError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while worker._process is None:  # noqa: SLF001 - when it is under way cannot be seen from outside
        time.sleep(0.01)
    worker.close()
    thread.join(30)
    assert len(raised) == 1


def test_worker_ends_when_its_owner_is_gone(owner: Owner) -> None:
    worker = owner.worker()
    worker.run([1])
    process = worker._process  # noqa: SLF001
    assert process
    os.kill(process.pid, signal.SIGCONT)
    assert process.stdin
    process.stdin.close()
    assert process.wait(30) == 0


def test_sets_have_one_order_in_every_worker(owner: Owner) -> None:
    """Otherwise a type with a set would be written in another order by each worker."""
    orders = [tuple(owner.worker("Ordering").run(["abcdefgh"])[0]) for _ in range(2)]
    assert len(set(orders)) == 1


def test_worker_that_is_started_handles_items_in_the_same_process(owner: Owner) -> None:
    worker = owner.worker()
    worker.run([])
    started = worker._process  # noqa: SLF001 - that it is the same process cannot be seen from outside
    worker.run([1])
    assert worker._process is started  # noqa: SLF001
