"""Reads parts with processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from src.modules.reparsing.domain.part import Done, Part, PartResult, parts_to_read
from src.modules.reparsing.domain.ports.rows import RowSource
from src.modules.reparsing.infrastructure.engines.part_reader import PartReader

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
