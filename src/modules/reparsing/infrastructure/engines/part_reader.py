"""Reads whole parts with one worker: what a process of the local engine and an actor of Ray have in common."""

from __future__ import annotations

from dataclasses import dataclass

from src.modules.reparsing.domain.part import Part, PartResult
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.workers.reading import Blame, Readings
from src.modules.reparsing.infrastructure.workers.supervised import SupervisedWorker
from src.modules.reparsing.infrastructure.workers.task import Limits, Task


class PartReader:
    """Reads parts, one after the other. Not for several threads at once."""

    def __init__(self, task: Task, names: FieldNames, limits: Limits) -> None:
        """Start nothing yet.

        Args:
            task: as `reading_task` makes it.
            names: which field of a row holds what.
            limits: what a text may take.
        """
        self._worker: SupervisedWorker[Readings] = SupervisedWorker(task, limits, Blame(names))

    def read(self, part: Part) -> PartResult:
        """What came of a part.

        Raises:
            BatchReaderError: the worker cannot be started.
        """
        pieces = self._worker.run(part.rows)
        tally = Tally()
        for piece in pieces:
            tally.add(piece.tally)
        return PartResult(
            id=part.id,
            position=part.position,
            parsed=b"".join(line for piece in pieces for line in piece.parsed),
            refused=b"".join(line for piece in pieces for line in piece.refused),
            compared=b"".join(line for piece in pieces for line in piece.compared),
            tally=tally,
        )

    def close(self) -> None:
        """End the worker."""
        self._worker.close()


@dataclass(frozen=True)
class PartReaderOf:
    """Makes the reader of a worker; can be sent to another process, as the reader itself cannot.

    Attributes:
        task, names, limits: as for `PartReader`.
    """

    task: Task
    names: FieldNames
    limits: Limits

    def __call__(self) -> PartReader:
        """A reader, which starts nothing yet."""
        return PartReader(self.task, self.names, self.limits)
