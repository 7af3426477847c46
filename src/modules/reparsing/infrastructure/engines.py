"""Reads whole parts with processes of this machine; an actor of Ray reads its parts with the same reader."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from queue import SimpleQueue

from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.part import Done, Part, PartResult, RowSource, parts_to_read
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.workers.comparing import Comparisons, ReadRow, old_blamed
from src.modules.reparsing.infrastructure.workers.reading import Readings, blamed
from src.shared.infrastructure.processes import Limits, SupervisedWorker, Task


@dataclass(eq=False)
class PartReader:
    """Reads parts, one after the other, and starts its processes with the first. Not for several threads at once.

    Until then it can be sent to another process.

    Attributes:
        task: as `reading_task` makes it.
        names: which field of a row holds what.
        limits: what a text may take, from each parser.
        old: as `comparing_task` makes it, where an old parser stands beside: it gets each part when it was read.
        noted: as for `reading_task`.
    """

    task: Task
    names: FieldNames
    limits: Limits
    old: Task | None = None
    noted: int | None = None

    def __post_init__(self) -> None:
        """Start nothing yet."""
        self._worker: SupervisedWorker[Readings] = SupervisedWorker(
            self.task, self.limits, partial(blamed, self.names, self.noted), BatchReaderError
        )
        self._old: SupervisedWorker[Comparisons] | None = None
        if self.old:
            self._old = SupervisedWorker(self.old, self.limits, partial(old_blamed, self.names), BatchReaderError)

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
            parsed=readings.parsed,
            refused=readings.refused,
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
        if self._old is None:
            return b""
        pieces = self._old.run([ReadRow(row, line) for row, line in zip(part.rows, readings.lines, strict=True)])
        for piece in pieces:
            readings.tally.comparison.add(piece.comparison)
        return b"".join(line for piece in pieces for line in piece.lines)


_AHEAD = 2
"""Parts a worker that are in memory: the one that is read, and the next."""


class LocalEngine:
    """As many workers as are asked for, each looked after by a thread."""

    def __init__(self, reader: PartReader, workers: int) -> None:
        """Start nothing yet; of the reader there is one for each of the workers, at least 1."""
        self._readers = [replace(reader) for _ in range(workers)]

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
            parts = (parts_to_read(source, number, done) for number, source in enumerate(sources))
            for part in chain.from_iterable(parts):
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
