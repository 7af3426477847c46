"""Reads parts with processes of this machine.

Reads whole parts with one worker: what a process of the local engine and an actor of Ray have in common.

Where an old parser stands beside, it has a worker of its own, which gets each part when it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue

from src.modules.reparsing.domain.part import Done, Part, PartResult, RowSource, parts_to_read
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.workers.comparing import Comparisons, OldBlame, read_rows
from src.modules.reparsing.infrastructure.workers.reading import Blame, Readings
from src.modules.reparsing.infrastructure.workers.supervised import SupervisedWorker
from src.modules.reparsing.infrastructure.workers.task import Limits, Task


class PartReader:
    """Reads parts, one after the other. Not for several threads at once."""

    def __init__(
        self, task: Task, names: FieldNames, limits: Limits, old: Task | None = None, noted: int | None = None
    ) -> None:
        """Start nothing yet.

        Args:
            task: as `reading_task` makes it.
            names: which field of a row holds what.
            limits: what a text may take, from each parser.
            old: as `comparing_task` makes it, where an old parser stands beside.
            noted: as for `reading_task`.
        """
        self._worker: SupervisedWorker[Readings] = SupervisedWorker(task, limits, Blame(names, noted))
        self._old = SupervisedWorker[Comparisons](old, limits, OldBlame(names)) if old else None

    def read(self, part: Part) -> PartResult:
        """What came of a part.

        Raises:
            BatchReaderError: the worker cannot be started.
        """
        readings = Readings()
        for piece in self._worker.run(part.rows):
            readings.add(piece)
        return PartResult(
            id=part.id,
            position=part.position,
            parsed=b"".join(readings.parsed),
            refused=b"".join(readings.refused),
            compared=self._compared(part, readings),
            tally=readings.tally,
            digest=part.digest,
            notes=tuple(readings.notes),
        )

    def close(self) -> None:
        """End the workers."""
        self._worker.close()
        if self._old:
            self._old.close()

    def _compared(self, part: Part, readings: Readings) -> bytes:
        """Ask the old parser, which cannot change what was read any more."""
        pieces = self._old.run(read_rows(part.rows, readings)) if self._old else []
        for piece in pieces:
            readings.tally.comparison.add(piece.comparison)
        return b"".join(line for piece in pieces for line in piece.lines)


@dataclass(frozen=True)
class PartReaderOf:
    """Makes the reader of a worker; can be sent to another process, as the reader itself cannot.

    Attributes:
        task, names, limits, old, noted: as for `PartReader`.
    """

    task: Task
    names: FieldNames
    limits: Limits
    old: Task | None = None
    noted: int | None = None

    def __call__(self) -> PartReader:
        """A reader, which starts nothing yet."""
        return PartReader(self.task, self.names, self.limits, self.old, self.noted)


_AHEAD = 2
"""Parts a worker that are in memory: the one that is read, and the next."""


class LocalEngine:
    """As many workers as are asked for, each looked after by a thread."""

    def __init__(self, reader: Callable[[], PartReader], workers: int) -> None:
        """Start nothing yet.

        Args:
            reader: makes the reader of one worker.
            workers: how many, at least 1.
        """
        self._readers = [reader() for _ in range(workers)]

    def results(self, sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
        """As `EnginePort.results`."""
        free: SimpleQueue[PartReader] = SimpleQueue()
        for reader in self._readers:
            free.put(reader)

        def read(part: Part) -> PartResult:
            reader = free.get()
            try:
                return reader.read(part)
            finally:
                free.put(reader)

        pool = ThreadPoolExecutor(len(self._readers), thread_name_prefix="reparsing")
        try:
            running: set[Future[PartResult]] = set()
            for part in _parts(sources, done):
                running.add(pool.submit(read, part))
                if len(running) >= len(self._readers) * _AHEAD:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in ended)
            while running:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for reader in self._readers:
                reader.close()


def _parts(sources: Sequence[RowSource], done: Done) -> Iterator[Part]:
    for number, source in enumerate(sources):
        yield from parts_to_read(source, number, done)
