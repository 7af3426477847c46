"""Reads whole parts with processes of this machine; an actor of Ray reads its parts with the same reader."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from queue import SimpleQueue

from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.part import Done, Outcomes, Part, PartResult, RowSource, parts_to_read
from src.modules.reparsing.infrastructure.old_parser import blame_old
from src.modules.reparsing.infrastructure.reading import READING, blame
from src.shared.infrastructure.processes import Limits, SupervisedWorker, Task


def worker_of(task: Task, limits: Limits) -> SupervisedWorker[Outcomes]:
    """What looks after the process of a task of `READING` or `COMPARING`."""
    blamed = blame if task.function == READING else blame_old
    return SupervisedWorker(task, limits, partial(blamed, task.arguments), BatchReaderError)


@dataclass(eq=False)
class PartReader:
    """Reads parts, one after the other, and starts its processes with the first. Not for several threads at once.

    Until then it can be sent to another process.

    Attributes:
        task: of `READING`.
        limits: what a text may take, from each parser.
        old: a task of `COMPARING`, where an old parser stands beside: it gets each part when it was read, and cannot
            change what was read any more.
    """

    task: Task
    limits: Limits
    old: Task | None = None

    def __post_init__(self) -> None:
        """Start nothing yet."""
        self._workers = [worker_of(self.task, self.limits), *([worker_of(self.old, self.limits)] if self.old else [])]

    def read(self, part: Part) -> PartResult:
        """What came of a part.

        Raises:
            BatchReaderError: the worker cannot be started.
        """
        outcomes, (worker, *old) = Outcomes(), self._workers
        for piece in worker.run(part.rows):
            outcomes.add(piece)
        for worker in old:
            for piece in worker.run([*zip(part.rows, outcomes.lines, strict=True)]):
                outcomes.add(piece)
        return PartResult(part.id, part.position, part.digest, outcomes)

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.close()


_AHEAD = 2
"""Parts a worker that are in memory: the one that is read, and the next."""


def read_locally(
    reader: PartReader, workers: int, sources: Sequence[RowSource], done: Done
) -> Generator[PartResult, None, None]:
    """As `Engine`: so many workers on this machine, each looked after by a thread and with a reader of its own."""
    readers = [replace(reader) for _ in range(workers)]
    free: SimpleQueue[PartReader] = SimpleQueue()
    for each in readers:
        free.put(each)

    def read(part: Part) -> PartResult:
        mine = free.get()
        try:
            return mine.read(part)
        finally:
            free.put(mine)

    pool = ThreadPoolExecutor(workers, thread_name_prefix="reparsing")
    try:
        running: set[Future[PartResult]] = set()
        parts = (parts_to_read(source, number, done) for number, source in enumerate(sources))
        for part in chain.from_iterable(parts):
            running.add(pool.submit(read, part))
            if len(running) >= workers * _AHEAD:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ended)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for each in readers:
            each.close()
